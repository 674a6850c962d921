import { asBehavior } from '../../build-annotations.ts'
import { KustomizeError } from '../../kustomize-error.ts'
import type { Resource } from '../../resource.ts'

const NEEDS_HASH = 'kustomize.config.k8s.io/needs-hash'
const BEHAVIOR = 'kustomize.config.k8s.io/behavior'
const TRUE = ['1', 't', 'T', 'true', 'TRUE', 'True']
const FALSE = ['0', 'f', 'F', 'false', 'FALSE', 'False']

/** Generated resources may ask for a hash in their name, and say how they go together with others. */
export const takeGeneratorOptions = (resources: readonly Resource[]): readonly Resource[] => {
  for (const resource of resources) {
    const annotations = new Map(resource.annotations())
    const hash = annotations.get(NEEDS_HASH) ?? 'false'
    if (![...TRUE, ...FALSE].includes(hash))
      throw new KustomizeError(
        `the annotation ${JSON.stringify(NEEDS_HASH)} contains an invalid value (${JSON.stringify(hash)})`,
        { field: NEEDS_HASH },
      )
    resource.remember({ needsHash: TRUE.includes(hash), behavior: asBehavior(annotations.get(BEHAVIOR)) })
    annotations.delete(NEEDS_HASH)
    annotations.delete(BEHAVIOR)
    resource.setAnnotations(annotations)
  }
  return resources
}
