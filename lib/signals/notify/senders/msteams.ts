import { compareText } from '../../../foundations/go/compare-text.ts'
import { isFailure, type Notification, notificationTitle } from '../notification.ts'
import { requireAddress, type Send } from './sender.ts'

/** Sends Adaptive Cards; Microsoft's retired connectors (`*.webhook.office.com`) get the older message cards. */
export const msteams: Send = ({ notification, access, http }) => {
  const url = requireAddress(access)
  const isConnector = new URL(url).hostname.endsWith('.webhook.office.com')
  return http({ url, json: isConnector ? messageCard(notification) : adaptiveCard(notification) })
}

const messageCard = (notification: Notification) => ({
  '@type': 'MessageCard',
  '@context': 'http://schema.org/extensions',
  themeColor: isFailure(notification) ? 'FF0000' : '0076D7',
  summary: notificationTitle(notification),
  sections: [
    {
      activityTitle: notification.message,
      activitySubtitle: notificationTitle(notification),
      facts: Object.entries(notification.metadata ?? {}).map(([name, value]) => ({ name, value })),
    },
  ],
})

const adaptiveCard = (notification: Notification) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4', // the latest version that Teams supports
        msteams: { width: 'Full' },
        body: [
          {
            type: 'Container',
            items: [
              { type: 'TextBlock', text: notificationTitle(notification), size: 'large', weight: 'bolder', wrap: true },
              {
                type: 'TextBlock',
                text: notification.message,
                wrap: true,
                ...(isFailure(notification) && { color: 'attention' }),
              },
              { type: 'FactSet', facts: factsOf(notification) },
            ],
          },
        ],
      },
    },
  ],
})

/** The summary first, then by name. */
const factsOf = ({ metadata = {} }: Notification) =>
  Object.keys(metadata)
    .sort((a, b) => Number(b === 'summary') - Number(a === 'summary') || compareText(a, b))
    .map(title => ({ title, value: metadata[title] }))
