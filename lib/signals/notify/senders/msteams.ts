import { compareText } from '../../../foundations/go/compare-text.ts'
import { isFailure, type Notification, titleOf } from '../notification.ts'
import { requireAddress, type Send } from './sender.ts'

/** Adaptive Cards; Microsoft's retired connectors (`*.webhook.office.com`) get the cards that they knew. */
export const msteams: Send = ({ notification, access, http }) => {
  const url = requireAddress(access)
  const isConnector = new URL(url).hostname.endsWith('.webhook.office.com')
  return http({ url, json: isConnector ? messageCard(notification) : adaptiveCard(notification) })
}

const messageCard = (notification: Notification) => ({
  '@type': 'MessageCard',
  '@context': 'http://schema.org/extensions',
  themeColor: isFailure(notification) ? 'FF0000' : '0076D7',
  summary: titleOf(notification),
  sections: [
    {
      activityTitle: notification.message,
      activitySubtitle: titleOf(notification),
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
        version: '1.4', // the newest that Teams shows
        msteams: { width: 'Full' },
        body: [
          {
            type: 'Container',
            items: [
              { type: 'TextBlock', text: titleOf(notification), size: 'large', weight: 'bolder', wrap: true },
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

/** The summary first, the others by name. */
const factsOf = ({ metadata = {} }: Notification) =>
  Object.keys(metadata)
    .sort((a, b) => Number(b === 'summary') - Number(a === 'summary') || compareText(a, b))
    .map(title => ({ title, value: metadata[title] }))
