/** A request to a webhook, as far as it matters who sent it and what it says. */
import { isObject, type JsonObject } from '../../foundations/kinds/json-object.ts'

export interface WebhookCall {
  header(name: string): string | undefined
  /** As it was sent: signatures are over these bytes. */
  readonly body: Uint8Array
}

/** A request that is not acted upon, with the reason for whoever sent it. It never holds a token. */
export class WebhookRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'WebhookRefused'
  }
}

/** The body as a JSON object. Refuses anything else; `what` names what it should have been. */
export const jsonBody = ({ body }: WebhookCall, what: string): JsonObject => {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (isObject(parsed)) return parsed
  } catch (error) {
    throw new WebhookRefused(`cannot decode the ${what}: the body is not JSON`, { cause: error })
  }
  throw new WebhookRefused(`cannot decode the ${what}: the body is not a JSON object`)
}

/** The payload as a JSON object, also where it is sent as the field of a form, as GitHub can be set to. Refuses anything else. */
export const payloadIn = (call: WebhookCall, what: string): JsonObject => {
  if (!call.header('content-type')?.startsWith('application/x-www-form-urlencoded')) return jsonBody(call, what)
  const field = new URLSearchParams(Buffer.from(call.body).toString()).get('payload') ?? ''
  return jsonBody({ ...call, body: Buffer.from(field) }, what)
}

/** Walks into JSON that a stranger sent; undefined where it leads nowhere. */
export const at = (value: unknown, ...path: readonly string[]): unknown => {
  let found = value
  for (const key of path) found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined
  return found
}

export const textAt = (value: unknown, ...path: readonly string[]): string => {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}

export const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}
