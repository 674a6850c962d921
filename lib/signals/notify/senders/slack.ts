import { serverMessage } from '../../../foundations/rules/server-message.ts'
import { NotDelivered } from '../http.ts'
import { isFailure, type Notification, notificationTitle } from '../notification.ts'
import { bearer, requireAddress, type Send } from './sender.ts'

const attachmentOf = (notification: Notification, color: string, more: object = {}) => ({
  ...more,
  color,
  author_name: notificationTitle(notification),
  text: notification.message,
  mrkdwn_in: ['text'],
  fields: Object.entries(notification.metadata ?? {}).map(([title, value]) => ({ title, value, short: false })),
})

const api = 'https://slack.com/api/chat.postMessage'

/**
 * A message with an attachment, to an incoming webhook or to `chat.postMessage`. Throws NotDelivered for an error in
 * the API's response.
 */
export const slack: Send = async ({ notification, access, http }) => {
  const url = requireAddress(access)
  const fallback = `${notificationTitle(notification)}: ${notification.message.split('\n')[0]}`
  const { json } = await http({
    url,
    headers: bearer(access.token),
    json: {
      ...(access.channel && { channel: access.channel }),
      username: access.username || notification.reportingController,
      attachments: [attachmentOf(notification, isFailure(notification) ? 'danger' : 'good', { fallback })],
    },
  })
  // The API reports errors with status 200.
  const { ok, error } = (json ?? {}) as { readonly ok?: boolean; readonly error?: string }
  if (url === api && !ok) throw new NotDelivered(`Slack responded with error: ${serverMessage(String(error))}`)
}

/** Discord accepts Slack's format at a separate URL. */
export const discord: Send = ({ notification, access, http }) => {
  const address = requireAddress(access)
  return http({
    url: address.endsWith('/slack') ? address : `${address.replace(/\/$/, '')}/slack`,
    json: {
      username: access.username || notification.reportingController,
      attachments: [attachmentOf(notification, isFailure(notification) ? 'danger' : 'good')],
    },
  })
}

/** A message with an attachment, as incoming webhooks of Rocket.Chat take it. */
export const rocket: Send = ({ notification, access, http }) =>
  http({
    url: requireAddress(access),
    json: {
      channel: access.channel,
      username: access.username || notification.reportingController,
      attachments: [attachmentOf(notification, isFailure(notification) ? '#FF0000' : '#0076D7')],
    },
  })
