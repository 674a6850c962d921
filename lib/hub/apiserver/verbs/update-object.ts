import { invalid as invalidField } from '../../../foundations/kinds/schema/field-error.ts'
import { invalid } from '../../store/api-errors.ts'
import type { Handler } from '../call.ts'
import { viewOf } from '../views.ts'
import { bodyObject } from '../wire/body.ts'
import { respond } from '../wire/respond.ts'
import { requestObject } from './request-object.ts'
import { writeOptionsOf } from './write-options.ts'

/**
 * PUT of an object. Like a kube-apiserver, it requires a resourceVersion for kinds that a CustomResourceDefinition may
 * define, and none for Kubernetes' own.
 */
export const updateObject: Handler = async (api, call) => {
  const view = viewOf(api, call)
  const options = writeOptionsOf(api, call, 'UpdateOptions')
  const object = requestObject(call, await bodyObject(call.request, call.served.kind.kind))
  const { kind } = call.served
  // Only Kubernetes' own kinds can be replaced without a resourceVersion.
  if (!kind.native && !object.metadata.resourceVersion)
    throw invalid({ group: kind.group, kind: kind.plural }, object.metadata.name, [
      invalidField('metadata.resourceVersion', 0, 'must be specified for an update'),
    ])
  return respond(call, view.one(await api.hub.update(object, options)), view.format)
}
