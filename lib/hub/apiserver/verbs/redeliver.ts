import { fleetGroup } from '../../../foundations/kinds/references.ts'
import { notFound } from '../../store/api-errors.ts'
import { type Call, type Handler, refOfCall } from '../call.ts'
import { methodNotAllowed } from '../refusals.ts'
import { respond } from '../wire/respond.ts'
import { isDryRun } from './write-options.ts'

/** `deliveries/redeliver`: repeats a delivery, and responds with the new one. */
export const redeliver: Handler = async (api, call) => {
  const { deliveries } = api
  if (!deliveries) throw methodNotAllowed()
  const ref = refOfCall(call)
  const found = await deliveries.find(ref.namespace, ref.name)
  if (!found) throw notFound(call.served.kind, ref.name)
  const name = isDryRun(call.query) ? ref.name : await deliveries.redeliver(found, call.user.name)
  return respond(call, JSON.stringify(await deliveries.get({ ...ref, name })), 'json', 201)
}

export const isRedelivery = ({ group, resource, subresource }: Call['info']): boolean =>
  group === fleetGroup && resource === 'deliveries' && subresource === 'redeliver'
