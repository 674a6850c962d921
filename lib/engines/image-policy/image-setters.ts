import { type ImageRef, imageText } from '../../foundations/kinds/image-fields.ts'

/** A policy that has chosen an image. */
export interface LatestImage {
  readonly namespace: string
  readonly name: string
  readonly latestRef: ImageRef
}

/** What each marker writes: `ns:name` the whole image, `ns:name:name`, `ns:name:tag` and `ns:name:digest` its parts. */
export const imageSetters = (policies: readonly LatestImage[]): ReadonlyMap<string, string> =>
  new Map(
    policies.flatMap(({ namespace, name, latestRef }) => {
      const setter = `${namespace}:${name}`
      return [
        [setter, imageText(latestRef)],
        [`${setter}:tag`, latestRef.tag],
        [`${setter}:name`, latestRef.name],
        [`${setter}:digest`, latestRef.digest ?? ''],
      ] as const
    }),
  )
