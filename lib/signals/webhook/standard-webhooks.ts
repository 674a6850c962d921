import { createHmac } from 'node:crypto'
import { type WebhookCall, WebhookRefused } from './call.ts'
import { isSameSecret } from './signature.ts'

/** How far a sender's clock may be off, in milliseconds. */
const tolerance = 5 * 60_000

/** Whether a request is signed as standardwebhooks.com says, as GitLab does with a signing token. */
export const isStandardWebhook = ({ header }: WebhookCall): boolean => header('webhook-signature') !== undefined

/**
 * One of the signatures in `webhook-signature` (`v1,<base64>`, separated by spaces) must be the HMAC-SHA256 of
 * `<webhook-id>.<webhook-timestamp>.<body>` under the token, which is base64 after `whsec_`, or the key itself. The
 * timestamp is signed, so that an old request can't be sent anew.
 */
export const requireStandardSignature = ({ header, body }: WebhookCall, token: string, now: number): void => {
  const id = header('webhook-id') ?? ''
  const timestamp = header('webhook-timestamp') ?? ''
  if (!id || !/^\d{1,12}$/.test(timestamp))
    throw new WebhookRefused('the header webhook-id or webhook-timestamp is missing or malformed')
  if (Math.abs(now - Number(timestamp) * 1000) > tolerance)
    throw new WebhookRefused('the time in the header webhook-timestamp is more than 5 minutes off')
  const key = token.startsWith('whsec_') ? Buffer.from(token.slice('whsec_'.length), 'base64') : token
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  const given = (header('webhook-signature') ?? '').split(' ')
  if (!given.some(signature => isSameSecret(signature, `v1,${expected}`)))
    throw new WebhookRefused('no signature in the header webhook-signature fits the body')
}
