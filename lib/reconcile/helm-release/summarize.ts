import { goString } from '../../engines/yaml/go-json.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { Condition } from '../../foundations/kinds/object.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import type { Draft } from './draft.ts'

/** Ready copies the first of Remediated, TestSuccess and Released, preferring the newest generation (HR-105). A remediated release is not ready. */
export const summarize = (draft: Draft): void => {
  const { test } = draft.release.spec
  if (!test?.enable) draft.remove('TestSuccess')
  const types = ['Remediated', ...(test?.enable && !test.ignoreFailures ? ['TestSuccess'] : []), 'Released']
  const present = types.map(type => draft.condition(type)).filter(condition => condition !== undefined)
  const [first] = present.toSorted((a, b) => generationOf(b) - generationOf(a))
  if (!first) return
  const status = first.type === 'Remediated' ? 'False' : first.status
  if (status === 'True') draft.remove('Stalled')
  draft.mark('Ready', status, first.reason, first.message)
  const { postRenderers, commonMetadata } = digests(draft.release)
  draft.set({
    observedPostRenderersDigest: postRenderers || null,
    observedCommonMetadataDigest: commonMetadata || null,
  })
}

const generationOf = ({ observedGeneration = 0 }: Condition): number => observedGeneration

/** helm-controller's checksums of post-renderers and common metadata; '' if there are none (HR-093). */
export const digests = ({
  spec,
}: HelmRelease): { readonly postRenderers: string; readonly commonMetadata: string } => ({
  postRenderers: spec.postRenderers ? digestOf(structs(spec.postRenderers, postRendererFields)) : '',
  commonMetadata: spec.commonMetadata ? digestOf(structs(spec.commonMetadata, commonMetadataFields)) : '',
})

const digestOf = (json: string): string => sha256Digest(`${json}\n`)

/** Go's fields in their order. */
interface Struct {
  readonly [field: string]: Struct | 'map' | 'text'
}

const target: Struct = {
  group: 'text',
  version: 'text',
  kind: 'text',
  namespace: 'text',
  name: 'text',
  annotationSelector: 'text',
  labelSelector: 'text',
}
const postRendererFields: Struct = {
  kustomize: {
    patches: { patch: 'text', target },
    images: { name: 'text', newName: 'text', newTag: 'text', digest: 'text' },
  },
}
const commonMetadataFields: Struct = { annotations: 'map', labels: 'map' }

/** JSON as Go writes structs without empty fields, except `patch` of a patch and `name` of an image, which are always written. */
const structs = (value: unknown, fields: Struct | 'map' | 'text'): string => {
  if (Array.isArray(value)) return `[${value.map(item => structs(item, fields)).join(',')}]`
  if (fields === 'text') return goString(String(value))
  const object = value as Readonly<Record<string, unknown>>
  const keys = fields === 'map' ? Object.keys(object).sort() : Object.keys(fields)
  return `{${keys
    .filter(key => isWritten(key, object[key]))
    .map(key => `${goString(key)}:${structs(object[key], fields === 'map' ? 'text' : fields[key]!)}`)
    .join(',')}}`
}

const isWritten = (key: string, value: unknown): boolean =>
  value !== undefined &&
  (key === 'patch' || key === 'name' || (value !== '' && !(Array.isArray(value) && value.length === 0)))
