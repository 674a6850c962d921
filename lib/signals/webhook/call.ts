/** A request to a webhook: its headers and body. */
import { isObject, type JsonObject } from '../../foundations/kinds/json-object.ts'

export interface WebhookCall {
  header(name: string): string | undefined
  /** The raw bytes, which signatures cover. */
  readonly body: Uint8Array
}

/** A rejected request, with the reason for the sender. Never contains a token. */
export class WebhookRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'WebhookRefused'
  }
}

/** Parses the body as a JSON object, and rejects anything else; `what` describes the expected body in errors. */
export const jsonBody = ({ body }: WebhookCall, what: string): JsonObject => {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (isObject(parsed)) return parsed
  } catch (error) {
    throw new WebhookRefused(`cannot decode the ${what}: the body is not JSON`, { cause: error })
  }
  throw new WebhookRefused(`cannot decode the ${what}: the body is not a JSON object`)
}

/**
 * Parses the payload as a JSON object, also if it is sent as a form field, as GitHub can be configured to. Rejects
 * anything else.
 */
export const readPayload = (call: WebhookCall, what: string): JsonObject => {
  if (!call.header('content-type')?.startsWith('application/x-www-form-urlencoded')) return jsonBody(call, what)
  const field = new URLSearchParams(Buffer.from(call.body).toString()).get('payload') ?? ''
  return jsonBody({ ...call, body: Buffer.from(field) }, what)
}
