import type { Budget } from '../../../foundations/budget/budget.ts'
import { fromJson } from '../../yaml/from-json.ts'
import type { JsonObject } from '../../yaml/json-value.ts'
import { field } from '../../yaml/node.ts'
import { absorbBuildAnnotations, buildAnnotations, exposeBuildAnnotations } from '../build-annotations.ts'
import { located } from '../kustomize-error.ts'
import { type JsonPatch, patchJson } from '../merge/json-patch.ts'
import { NO_HISTORY } from '../object-snapshot.ts'
import type { Resource } from '../resource.ts'

/** Applies JSON 6902 operations. They see the object with kustomize's build annotations. */
export const applyJsonPatch = (resource: Resource, patch: JsonPatch, budget: Budget): void => {
  const before = buildAnnotations(resource)
  exposeBuildAnnotations(resource)
  let value: JsonObject
  try {
    value = patchJson(resource.toJson(), patch, budget)
  } catch (error) {
    throw located(error, { file: resource.origin.file })
  }
  resource.node = fromJson(value)
  const metadata = field(resource.node, 'metadata')
  if (metadata && metadata.kind !== 'map') {
    // kustomize's annotations have no place in the result.
    resource.remember({ ...NO_HISTORY, varNames: resource.varNames })
  } else {
    resource.setAnnotations(new Map([...resource.annotations(), ...before]))
    absorbBuildAnnotations(resource)
  }
}
