import { app, commit, failed } from './alerting-scene.ts'

export interface Case {
  readonly spec?: (url: string) => object
  readonly texts?: Readonly<Record<string, string>>
  /** What is asked for the failure of `app`: method, path, some headers, body. */
  readonly requests: readonly Expected[]
}

export interface Expected {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: string
}

export const title = 'kustomization/app.default'
export const { message = '' } = failed
const revision = `main@sha1:${commit}`
export const uid = app.metadata.uid!
const fields = [
  { title: 'env', value: 'prod', short: false },
  { title: 'revision', value: revision, short: false },
]
const attachment = { author_name: title, text: message, mrkdwn_in: ['text'], fields }

/** What is sent to each service, by the type of its Provider. */
export const cases: Readonly<Record<string, Case>> = {
  slack: {
    texts: { token: 'xoxb' },
    spec: () => ({ channel: 'general' }),
    requests: [
      {
        path: '/',
        headers: { authorization: 'Bearer xoxb' },
        json: {
          channel: 'general',
          username: 'kustomize-controller',
          attachments: [{ ...attachment, color: 'danger', fallback: `${title}: health check failed` }],
        },
      },
    ],
  },
  discord: {
    spec: url => ({ address: `${url}/api/webhooks/1/x`, username: 'flux' }),
    requests: [
      {
        path: '/api/webhooks/1/x/slack',
        json: { username: 'flux', attachments: [{ ...attachment, color: 'danger' }] },
      },
    ],
  },
  rocket: {
    requests: [
      {
        path: '/',
        json: { channel: '', username: 'kustomize-controller', attachments: [{ ...attachment, color: '#FF0000' }] },
      },
    ],
  },
  msteams: {
    requests: [
      {
        path: '/',
        json: {
          type: 'message',
          attachments: [
            {
              contentType: 'application/vnd.microsoft.card.adaptive',
              content: {
                $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
                type: 'AdaptiveCard',
                version: '1.4',
                msteams: { width: 'Full' },
                body: [
                  {
                    type: 'Container',
                    items: [
                      { type: 'TextBlock', text: title, size: 'large', weight: 'bolder', wrap: true },
                      { type: 'TextBlock', text: message, wrap: true, color: 'attention' },
                      {
                        type: 'FactSet',
                        facts: [
                          { title: 'env', value: 'prod' },
                          { title: 'revision', value: revision },
                        ],
                      },
                    ],
                  },
                ],
              },
            },
          ],
        },
      },
    ],
  },
  googlechat: {
    requests: [
      {
        path: '/',
        json: {
          cards: [
            {
              header: { title, subtitle: 'kustomize-controller' },
              sections: [
                { widgets: [{ textParagraph: { text: `<font color="#ff0000">${message}</font>` } }] },
                {
                  widgets: [
                    { keyValue: { topLabel: 'env', content: 'prod', contentMultiline: false } },
                    { keyValue: { topLabel: 'revision', content: revision, contentMultiline: false } },
                  ],
                },
              ],
            },
          ],
        },
      },
    ],
  },
  webex: {
    texts: { token: 'bot' },
    spec: () => ({ channel: 'room' }),
    requests: [
      {
        path: '/',
        headers: { authorization: 'Bearer bot' },
        json: { roomId: 'room', markdown: `💣 **${title}**\n${message}\n>**env**: prod\n>**revision**: ${revision}\n` },
      },
    ],
  },
  telegram: {
    texts: { token: '1:bot' },
    spec: url => ({ address: url, channel: '-100:7' }),
    requests: [
      {
        path: '/bot1:bot/sendMessage',
        json: {
          chat_id: '-100',
          message_thread_id: '7',
          text: `*🚨 kustomization/app/default*\n${message}\n\\- *env*: prod\n\\- *revision*: main@sha1:${commit}\n`,
          parse_mode: 'MarkdownV2',
        },
      },
    ],
  },
  lark: {
    requests: [
      {
        path: '/',
        json: {
          msg_type: 'interactive',
          card: {
            config: { wide_screen_mode: true },
            header: { title: { tag: 'plain_text', content: `🚨 ${title}` }, template: 'red' },
            elements: [
              { tag: 'div', text: { tag: 'lark_md', content: `**${message}**\n\nenv: prod\nrevision: ${revision}\n` } },
            ],
          },
        },
      },
    ],
  },
  matrix: {
    texts: { token: 'syt' },
    spec: () => ({ channel: '!room:example.com' }),
    requests: [
      {
        method: 'PUT',
        path: '/_matrix/client/r0/rooms/!room%3Aexample.com/send/m.room.message/<sha1>',
        headers: { authorization: 'Bearer syt' },
        json: { body: `🚨 ${title}\n${message}\n- env: prod\n- revision: ${revision}\n`, msgtype: 'm.text' },
      },
    ],
  },
  zulip: {
    texts: { username: 'bot@example.com', password: 'key' },
    spec: () => ({ channel: 'deploys/app' }),
    requests: [
      {
        path: '/api/v1/messages',
        headers: { authorization: `Basic ${btoa('bot@example.com:key')}` },
        body: new URLSearchParams({
          type: 'stream',
          to: 'deploys',
          topic: 'app',
          content: `## Flux Status\n\n⚠️ Kustomization/default/app\n\n${message}\n\nMetadata:\n* \`env\`: prod\n* \`revision\`: ${revision}\n`,
        }).toString(),
      },
    ],
  },
  zoom: {
    texts: { token: 'verification' },
    requests: [
      {
        path: '/?format=full',
        headers: { authorization: 'verification' },
        json: {
          content: {
            head: { text: title, sub_head: { text: 'error' } },
            body: [
              { type: 'message', text: message },
              {
                type: 'fields',
                items: [
                  { key: 'env', value: 'prod' },
                  { key: 'revision', value: revision },
                ],
              },
            ],
          },
        },
      },
    ],
  },
  pagerduty: {
    spec: url => ({ address: `${url}/ignored`, channel: 'routing' }),
    requests: [
      {
        path: '/v2/enqueue',
        json: {
          routing_key: 'routing',
          dedup_key: uid,
          event_action: 'trigger',
          payload: {
            summary: 'health check failed: kustomization/app',
            source: 'Flux kustomize-controller',
            severity: 'error',
            timestamp: '2026-01-01T00:00:00Z',
            component: 'app',
            group: 'Kustomization',
            custom_details: { message, metadata: { env: 'prod', revision } },
          },
        },
      },
    ],
  },
  opsgenie: {
    texts: { token: 'genie' },
    requests: [
      {
        path: '/',
        headers: { authorization: 'GenieKey genie' },
        json: {
          message: 'Kustomization/app',
          alias: '<sha256>',
          description: message,
          details: { env: 'prod', revision, severity: 'error' },
        },
      },
    ],
  },
  'incident.io': {
    texts: { token: 'inc' },
    requests: [
      {
        path: '/',
        headers: { authorization: 'Bearer inc' },
        json: {
          title: `${title}: HealthCheckFailed`,
          status: 'firing',
          deduplication_key: uid,
          description: message,
          metadata: {
            env: 'prod',
            revision,
            severity: 'error',
            reason: 'HealthCheckFailed',
            reportingController: 'kustomize-controller',
          },
        },
      },
    ],
  },
  alertmanager: {
    texts: { username: 'a', password: 'b' },
    requests: [
      {
        path: '/',
        headers: { authorization: `Basic ${btoa('a:b')}` },
        json: [
          {
            status: 'firing',
            labels: {
              env: 'prod',
              revision,
              alertname: 'FluxKustomizationHealthcheckfailed',
              severity: 'error',
              reason: 'HealthCheckFailed',
              kind: 'Kustomization',
              name: 'app',
              namespace: 'default',
              reportingcontroller: 'kustomize-controller',
            },
            annotations: { message },
            startsAt: '2026-01-01T00:00:00Z',
            endsAt: '0001-01-01T00:00:00Z',
          },
        ],
      },
    ],
  },
  grafana: {
    texts: { token: 'glsa' },
    requests: [
      {
        path: '/',
        headers: { authorization: 'Bearer glsa' },
        json: {
          when: 1767225600,
          text: title,
          tags: [
            ...['flux', 'kustomize-controller', 'env: prod', `revision: main@sha1|${commit}`],
            ...['kind: Kustomization', 'name: app', 'namespace: default'],
          ],
        },
      },
    ],
  },
  datadog: {
    texts: { token: 'dd' },
    requests: [
      {
        path: '/api/v1/events',
        headers: { 'dd-api-key': 'dd' },
        json: {
          title: 'Events from the Kustomization app/default',
          text: message,
          tags: [
            ...['flux_reporting_controller:kustomize-controller', 'flux_reason:healthcheckfailed'],
            ...[
              'kube_kind:kustomization',
              'kube_name:app',
              'kube_namespace:default',
              'env:prod',
              `revision:${revision}`,
            ],
          ],
          source_type_name: 'fluxcd',
          date_happened: 1767225600,
          alert_type: 'error',
        },
      },
    ],
  },
}
