import { CelError } from '../../engines/cel/cel-error.ts'
import { isSuspended } from '../../foundations/kinds/flux.ts'
import { pullRequest as pullRequestKind } from '../../foundations/kinds/pull-request.ts'
import { isConditionTrue } from '../../foundations/rules/conditions.ts'
import { deliveryPayloadCodec } from '../../hub/deliveries/delivery-codec.ts'
import type { FoundDelivery, Redeliver } from '../../hub/deliveries/delivery-reader.ts'
import type { References } from '../../hub/references/references.ts'
import { badRequest } from '../../hub/store/api-errors.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { DeliveryStore } from '../../platform/ports/deliveries.ts'
import type { Keys } from '../../platform/ports/keys.ts'
import type { Random } from '../../platform/ports/random.ts'
import { type WebhookCall, WebhookRefused } from './call.ts'
import { type DeliveryLog, type Handled, recordedPush } from './delivery-log.ts'
import { compileFilter, compileFilters, hasFilters, InvalidFilter } from './filter.ts'
import { triggerTargets } from './targets.ts'
import type { VerifiedRequest } from './verify-request.ts'
import { unwantedEvent, type WebhookSettings } from './webhook.ts'

export interface RedeliveryPorts {
  readonly hub: Pick<Hub, 'get' | 'list' | 'patch' | 'referrers'>
  readonly references: References
  readonly clock: Clock
  readonly random: Random
  readonly keys: Keys
  readonly deliveries: Pick<DeliveryStore, 'payload'>
  readonly deliveryLog: DeliveryLog
}

/**
 * Does what a delivery did, under the rules that its Receiver has now: the same events, filters and objects. Only a
 * verified delivery can be repeated, and one whose Receiver has filters only as long as its payload is kept.
 */
export const redelivery = (ports: RedeliveryPorts, { noCrossNamespaceRefs }: WebhookSettings): Redeliver => {
  const { clock, deliveryLog } = ports
  const payloads = deliveryPayloadCodec(ports.keys)

  /** The request as the filters of the Receiver read it. */
  const requestOf = async ({ record, receiver }: FoundDelivery) => {
    const none: WebhookCall = { header: () => undefined, body: Buffer.alloc(0) }
    if (!hasFilters(receiver)) return { call: none, verified: {}, kept: undefined }
    const stored = await ports.deliveries.payload(record)
    if (!stored)
      throw badRequest(
        `the Receiver has filters, which read the payload, and that of ${record.name} is not kept: it is kept for a day, if it has at most 32 KiB compressed and the Receiver had filters when it arrived. Redeliver it at the sender`,
      )
    const kept = await payloads.decode(record, stored)
    const { contentType, body, payload, claims } = kept
    const call: WebhookCall = {
      header: name => (name.toLowerCase() === 'content-type' ? contentType : undefined),
      body: Buffer.from(body, 'base64'),
    }
    const verified = { ...(payload !== undefined && { payload }), ...(claims && { claims }) } as VerifiedRequest
    return { call, verified, kept }
  }

  return async (delivery, user) => {
    const { receiver, record, content } = delivery
    const { metadata, status } = receiver
    if (!content.verification.verified)
      throw badRequest(`${record.name} can't be redelivered: its sender was not verified`)
    if (isSuspended(receiver) || !isConditionTrue(status?.conditions, 'Ready'))
      throw badRequest(`the Receiver ${metadata.namespace}/${metadata.name} is suspended or not ready`)
    const unwanted = content.result === 'Ping' ? 'it is a test event' : unwantedEvent(receiver, content.event)
    if (unwanted) throw badRequest(`${record.name} can't be redelivered: ${unwanted}`)
    if (content.objects?.some(({ kind }) => kind === pullRequestKind.kind))
      throw badRequest(`${record.name} can't be redelivered, as it is of a pull request: redeliver it at the sender`)
    const { call, verified, kept } = await requestOf(delivery)
    const place = deliveryLog.placeOf(receiver, Math.round(clock.now()))
    const selection = {
      accepts: acceptedBy(() => compileFilter(compileFilters(receiver), call, verified)),
      ...{ push: recordedPush(content), sender: `${user} (redelivery)`, delivery: place },
    }
    const { triggered, problems } = await triggerTargets(ports, receiver, selection, noCrossNamespaceRefs)
    const isDone = problems.length === 0
    const handled: Handled = {
      ...{
        result: isDone ? 'Triggered' : 'Failed',
        status: isDone ? 200 : 500,
        verified: true,
        triggered,
        payload: kept,
      },
      text: isDone
        ? `ok: requested ${triggered.length} to reconcile`
        : 'a reconcile could not be requested for all objects',
    }
    await deliveryLog.recordRepeated(place, { content, name: record.name, user }, handled)
    return place.name
  }
}

/** Fails with BadRequest if the filters can't be used. */
const acceptedBy = <T>(compile: () => T): T => {
  try {
    return compile()
  } catch (error) {
    if (error instanceof CelError) throw badRequest(error.messageWithoutValues)
    if (error instanceof WebhookRefused || error instanceof InvalidFilter) throw badRequest(error.message)
    throw error
  }
}
