import { at, textAt } from '../../foundations/kinds/json-path.ts'
import { jsonBody, type WebhookCall, WebhookRefused } from './call.ts'

const typeForm = /^dev\.(cdevents|cdeventsx)\.[a-z0-9-]+\.[a-z0-9-]+\.\d+\.\d+\.\d+([-.][A-Za-z0-9.-]+)?$/

/** Rejects a body that is not a valid event of CDEvents 0.4 (cdevents.dev): its context and subject are required. */
export const requireCdEvent = (call: WebhookCall): void => {
  const event = jsonBody(call, 'CDEvent')
  const problem = (field: string, why: string) => new WebhookRefused(`unable to validate the CDEvent: ${field} ${why}`)
  if (!/^0\.4\.\d+/.test(textAt(event, 'context', 'version') || textAt(event, 'context', 'specversion')))
    throw problem('context.version', 'is not 0.4')
  for (const field of ['id', 'source', 'timestamp'])
    if (!textAt(event, 'context', field)) throw problem(`context.${field}`, 'is missing')
  if (Number.isNaN(Date.parse(textAt(event, 'context', 'timestamp'))))
    throw problem('context.timestamp', 'is not a time')
  if (!typeForm.test(textAt(event, 'context', 'type'))) throw problem('context.type', 'is not a CDEvents type')
  if (!textAt(event, 'subject', 'id')) throw problem('subject.id', 'is missing')
  const content = at(event, 'subject', 'content')
  if (typeof content !== 'object' || content === null) throw problem('subject.content', 'is missing')
}
