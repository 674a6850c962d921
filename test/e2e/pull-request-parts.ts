/** A Receiver of pull requests in Gitea, its Provider, and the events that Gitea sends: https://docs.gitea.com/usage/webhooks. */
import { createHmac } from 'node:crypto'
import type { Receiver } from '../../lib/foundations/kinds/receiver.ts'
import type { Hub } from '../bed/hub.ts'

const token = 'webhook-token'

/** For the GitRepository `app` at this address, which is also that of the forge's API. */
export const forgeObjects = (api: string): string => `
apiVersion: v1
kind: Secret
metadata: {name: forge, namespace: default}
stringData: {token: secret}
---
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Provider
metadata: {name: forge, namespace: default}
spec: {type: gitea, address: '${api}', secretRef: {name: forge}}
---
apiVersion: v1
kind: Secret
metadata: {name: webhook, namespace: default}
stringData: {token: ${token}}
---
apiVersion: notification.toolkit.fluxcd.io/v1
kind: Receiver
metadata:
  name: gitea
  namespace: default
  annotations: {fleet.keelson.dev/plan-pull-requests: forge, fleet.keelson.dev/plan-forks: friend}
spec:
  type: github
  events: [push, pull_request]
  secretRef: {name: webhook}
  resources: [{kind: GitRepository, name: app}]
---`

interface Event {
  readonly sha: string
  readonly state?: 'open' | 'closed'
  readonly head?: string
  readonly number?: number
}

/** As Gitea sends it: https://docs.gitea.com/usage/webhooks. */
const payload = (url: string, { sha, state = 'open', head = 'org/app', number = 1 }: Event) => ({
  action: state === 'open' ? 'synchronized' : 'closed',
  number,
  pull_request: {
    ...{ id: 1, number, state, user: { login: 'ada' } },
    head: { ref: 'change', sha, repo: { full_name: head } },
    base: { ref: 'main', repo: { full_name: 'org/app' } },
  },
  repository: { full_name: 'org/app', clone_url: url, html_url: url.replace(/\.git$/, '') },
  sender: { login: 'ada' },
})

const post = async (on: Hub, event: string, payload: object): Promise<string> => {
  const body = JSON.stringify(payload)
  const { status } = await on.get<Receiver>('receiver', 'gitea', '-n', 'default')
  const response = await fetch(`${on.edge}${status?.webhookPath}`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', 'x-gitea-event': event },
      'x-gitea-signature': createHmac('sha256', token).update(body).digest('hex'),
    },
    body,
  })
  return `${response.status} ${(await response.text()).trim()}`
}

/** Sends the event of a pull request to the Receiver; resolves to the status and the text of the response. */
export const send = (on: Hub, url: string, event: Event): Promise<string> =>
  post(on, 'pull_request', payload(url, event))

/** The same for a push to main, as a merge is. */
export const sendPush = (on: Hub, url: string, after: string): Promise<string> =>
  post(on, 'push', { ref: 'refs/heads/main', after, repository: { clone_url: url }, sender: { login: 'ada' } })
