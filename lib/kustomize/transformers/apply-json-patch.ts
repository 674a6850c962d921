import { fromJson } from '../../yaml/from-json.ts'
import type { JsonObject } from '../../yaml/json-value.ts'
import { absorbBuildAnnotations, buildAnnotations, exposeBuildAnnotations } from '../build-annotations.ts'
import { KustomizeError } from '../kustomize-error.ts'
import { type JsonPatch, patchJson } from '../merge/json-patch.ts'
import type { Resource } from '../resource.ts'

/** Applies JSON 6902 operations. They see the object with the annotations that kustomize keeps during a build. */
export const applyJsonPatch = (resource: Resource, patch: JsonPatch): void => {
  const touchesAnnotations = patch.some(
    ({ path }) => '/metadata/annotations/'.startsWith(`${path}/`) || path.startsWith('/metadata/annotations'),
  )
  if (touchesAnnotations) exposeBuildAnnotations(resource)
  const before = buildAnnotations(resource)
  let value: JsonObject
  try {
    value = patchJson(resource.toJson(), patch) as JsonObject
  } catch (error) {
    if (error instanceof KustomizeError)
      throw new KustomizeError(error.message, { file: resource.origin.file, field: error.field }, error)
    throw error
  }
  resource.node = fromJson(value)
  resource.setAnnotations(new Map([...resource.annotations(), ...(touchesAnnotations ? before : [])]))
  if (touchesAnnotations) absorbBuildAnnotations(resource)
}
