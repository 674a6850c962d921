import { createHmac } from 'node:crypto'
import { type WebhookCall, WebhookRefused } from './call.ts'
import { isSameSecret } from './signature.ts'

/** Tolerated clock skew in milliseconds. */
const tolerance = 5 * 60_000

/** Whether a request is signed as in standardwebhooks.com; GitLab's signing tokens use it. */
export const isStandardWebhook = ({ header }: WebhookCall): boolean => header('webhook-signature') !== undefined

/**
 * Requires that one of the signatures in `webhook-signature` (`v1,<base64>`, separated by spaces) is the HMAC-SHA256 of
 * `<webhook-id>.<webhook-timestamp>.<body>` with the token, which is base64 after `whsec_`, or the key itself. The
 * signed timestamp prevents replays of old requests.
 */
export const requireStandardSignature = ({ header, body }: WebhookCall, token: string, now: number): void => {
  const id = header('webhook-id') ?? ''
  const timestamp = header('webhook-timestamp') ?? ''
  if (!id || !/^\d{1,12}$/.test(timestamp))
    throw new WebhookRefused('the header webhook-id or webhook-timestamp is missing or malformed')
  if (Math.abs(now - Number(timestamp) * 1000) > tolerance)
    throw new WebhookRefused('the time in the header webhook-timestamp differs by more than 5 minutes')
  const key = token.startsWith('whsec_') ? Buffer.from(token.slice('whsec_'.length), 'base64') : token
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  const given = (header('webhook-signature') ?? '').split(' ')
  if (!given.some(signature => isSameSecret(signature, `v1,${expected}`)))
    throw new WebhookRefused('no signature in the header webhook-signature matches the body')
}
