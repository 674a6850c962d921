import { parseBool } from '../../../../foundations/go/parse-bool.ts'
import { asBehavior } from '../../build-annotations.ts'
import { KustomizeError } from '../../kustomize-error.ts'
import type { Resource } from '../../resource.ts'

const NEEDS_HASH = 'kustomize.config.k8s.io/needs-hash'
const BEHAVIOR = 'kustomize.config.k8s.io/behavior'

/** Generated resources may request a name hash, and set how they merge with others. */
export const takeGeneratorOptions = (resources: readonly Resource[]): readonly Resource[] => {
  for (const resource of resources) {
    const annotations = new Map(resource.annotations())
    const text = annotations.get(NEEDS_HASH) ?? 'false'
    const needsHash = parseBool(text)
    if (needsHash === undefined)
      throw new KustomizeError(
        `the annotation ${JSON.stringify(NEEDS_HASH)} contains an invalid value (${JSON.stringify(text)})`,
        { field: NEEDS_HASH },
      )
    resource.remember({ needsHash, behavior: asBehavior(annotations.get(BEHAVIOR)) })
    annotations.delete(NEEDS_HASH)
    annotations.delete(BEHAVIOR)
    resource.setAnnotations(annotations)
  }
  return resources
}
