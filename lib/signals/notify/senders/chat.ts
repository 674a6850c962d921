import { createHash } from 'node:crypto'
import { isFailure, type Notification, notificationTitle, toMarkdown } from '../notification.ts'
import { basic, bearer, requireAddress, type Send } from './sender.ts'

const linesOf = ({ metadata = {} }: Notification, line: (key: string, value: string) => string): string =>
  Object.entries(metadata)
    .map(([key, value]) => line(key, value))
    .join('')

const emojiOf = (notification: Notification): string => (isFailure(notification) ? '🚨' : '💫')

/** A card, as incoming webhooks of Google Chat take it. The secret is in the address. */
export const googleChat: Send = ({ notification, access, http }) => {
  const { message, metadata = {} } = notification
  const text = isFailure(notification) ? `<font color="#ff0000">${message}</font>` : message
  const values = Object.entries(metadata).map(([topLabel, content]) => ({
    keyValue: { topLabel, content, contentMultiline: false },
  }))
  return http({
    url: requireAddress(access),
    json: {
      cards: [
        {
          header: { title: notificationTitle(notification), subtitle: notification.reportingController },
          sections: [{ widgets: [{ textParagraph: { text } }] }, ...(values.length > 0 ? [{ widgets: values }] : [])],
        },
      ],
    },
  })
}

/** A message in Markdown to the room `channel`, with the token of a bot. */
export const webex: Send = ({ notification, access, http }) => {
  const sign = isFailure(notification) ? '💣' : '✅'
  const lines = linesOf(notification, (key, value) => `>**${key}**: ${value}\n`)
  return http({
    url: requireAddress(access),
    headers: bearer(access.token),
    json: {
      roomId: access.channel,
      markdown: `${sign} **${notificationTitle(notification)}**\n${notification.message}\n${lines}`,
    },
  })
}

const telegramApi = (token: string): string => `https://api.telegram.org/bot${token}/sendMessage`

/**
 * A message in MarkdownV2 to the chat `channel`, or to a topic of it (`chat:topic`). The token of the bot is in the
 * URL, as Telegram requires.
 */
export const telegram: Send = ({ notification, access, http }) => {
  const { kind, name, namespace } = notification.involvedObject
  const heading = `${emojiOf(notification)} ${kind.toLowerCase()}/${name}/${namespace}`
  const lines = linesOf(notification, (key, value) => `\\- *${escaped(key)}*: ${escaped(value)}\n`)
  const [chat = '', thread] = access.channel.split(':', 2)
  return http({
    url: access.address ? `${access.address}/bot${access.token}/sendMessage` : telegramApi(access.token),
    json: {
      chat_id: chat,
      ...(thread !== undefined && { message_thread_id: thread }),
      text: `*${escaped(heading)}*\n${escaped(notification.message)}\n${lines}`,
      parse_mode: 'MarkdownV2',
    },
  })
}

/** Escapes the special characters of Telegram's MarkdownV2. */
const escaped = (text: string): string => text.replace(/[\\._\-[\]()~>`#+=|{}!*]/g, '\\$&')

/** An interactive card, as custom bots of Lark and Feishu take it. */
export const lark: Send = ({ notification, access, http }) => {
  const lines = linesOf(notification, (key, value) => `${key}: ${value}\n`)
  return http({
    url: requireAddress(access),
    json: {
      msg_type: 'interactive',
      card: {
        config: { wide_screen_mode: true },
        header: {
          title: { tag: 'plain_text', content: `${emojiOf(notification)} ${notificationTitle(notification)}` },
          template: isFailure(notification) ? 'red' : 'turquoise',
        },
        elements: [{ tag: 'div', text: { tag: 'lark_md', content: `**${notification.message}**\n\n${lines}` } }],
      },
    },
  })
}

/**
 * An event `m.room.message` to the room `channel`. Its transaction ID is the hash of the notification, so that a
 * repetition is dropped by the server.
 */
export const matrix: Send = ({ notification, access, http }) => {
  const transaction = createHash('sha1').update(JSON.stringify(notification)).digest('hex')
  const lines = linesOf(notification, (key, value) => `- ${key}: ${value}\n`)
  const room = encodeURIComponent(access.channel)
  return http({
    method: 'PUT',
    url: `${requireAddress(access).replace(/\/$/, '')}/_matrix/client/r0/rooms/${room}/send/m.room.message/${transaction}`,
    headers: bearer(access.token),
    json: {
      body: `${emojiOf(notification)} ${notificationTitle(notification)}\n${notification.message}\n${lines}`,
      msgtype: 'm.text',
    },
  })
}

/**
 * A message in Markdown to `channel`, which is `<channel>/<topic>`, as the bot of username and password. Throws an
 * Error for another form.
 */
export const zulip: Send = ({ notification, access, http }) => {
  const [, channel, topic] = /^([^/]+)\/(.+)$/.exec(access.channel) ?? []
  if (!channel || !topic)
    throw new Error(`invalid Zulip channel format, expected <channel>/<topic>, got '${access.channel}'`)
  const form = { type: 'stream', to: channel, topic, content: toMarkdown(notification) }
  return http({
    url: new URL('/api/v1/messages', requireAddress(access)).href,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...basic(access.username, access.password) },
    body: new URLSearchParams(form).toString(),
  })
}

/** A message in the full format of Zoom's incoming webhook app; the token is its verification token. */
export const zoom: Send = ({ notification, access, http }) => {
  const url = new URL(requireAddress(access))
  if (!url.searchParams.has('format')) url.searchParams.set('format', 'full')
  const fields = Object.entries(notification.metadata ?? {}).map(([key, value]) => ({ key, value }))
  return http({
    url: url.href,
    headers: { authorization: access.token },
    json: {
      content: {
        head: { text: notificationTitle(notification), sub_head: { text: notification.severity } },
        body: [
          { type: 'message', text: notification.message },
          ...(fields.length > 0 ? [{ type: 'fields', items: fields }] : []),
        ],
      },
    },
  })
}
