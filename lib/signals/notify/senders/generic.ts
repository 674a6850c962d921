import { createHmac } from 'node:crypto'
import { requireAddress, type Send } from './sender.ts'

/** Sends the event unchanged; signed with the token if the type requires it. */
export const generic: Send = ({ notification, access, http }) => {
  const body = JSON.stringify(notification)
  const isSigned = access.type === 'generic-hmac'
  if (isSigned && !access.token) throw new Error('HMAC key is empty')
  const signature = isSigned && `sha256=${createHmac('sha256', access.token).update(body).digest('hex')}`
  return http({
    url: requireAddress(access),
    headers: {
      'content-type': 'application/json',
      'gotk-component': notification.reportingController,
      ...access.headers,
      ...(signature && { 'x-signature': signature }),
    },
    body,
  })
}
