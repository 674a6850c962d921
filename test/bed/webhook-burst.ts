import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import type { GitRepo } from './git-repo.ts'

/** As many signed webhooks of GitHub as sources, each about one of them, and the objects that they are about. */
export interface WebhookBurst {
  /** In the namespace `burst`: a Secret and the Receivers, to be made first, and the GitRepositories of each Receiver. */
  readonly manifests: readonly [common: string, ...sources: string[]]
  /** Posts them evenly over so many seconds, to the addresses of the Receivers. */
  send(addresses: ReadonlyMap<string, string>, seconds: number): Promise<readonly Answer[]>
}

export interface Answer {
  readonly status: number
  readonly ms: number
}

/** Sources that listen to one Receiver, as those of an organisation do. */
const perReceiver = 50
const token = 'a shared secret'

/** Makes a branch of the repository for each source. */
export async function webhookBurst(count: number, repo: GitRepo): Promise<WebhookBurst> {
  const commit = (await repo.git('rev-parse', 'main')).trim()
  const branches = Array.from({ length: count }, (_, i) => `b${i}`)
  for (const branch of branches) await repo.git('update-ref', `refs/heads/${branch}`, commit)
  const receiverOf = (i: number): string => `r${Math.floor(i / perReceiver)}`
  const receivers = [...new Set(branches.map((_, i) => receiverOf(i)))]
  return {
    manifests: [
      [namespace, ...receivers.map(receiver)].join('---\n'),
      ...receivers.map(name =>
        branches
          .filter((_, i) => receiverOf(i) === name)
          .map(branch => repository(branch, repo.url, name))
          .join('---\n'),
      ),
    ],
    send: (addresses, seconds) =>
      Promise.all(
        branches.map(async (branch, i) => {
          await sleep((i / count) * seconds * 1000)
          const sent = performance.now()
          const push = { ref: `refs/heads/${branch}`, after: commit, repository: { clone_url: repo.url } }
          const status = await postPush(addresses.get(receiverOf(i))!, push, token)
          return { status, ms: performance.now() - sent }
        }),
      ),
  }
}

/** Sends a push event like GitHub. Returns the status of the response. */
export async function postPush(address: string, push: object, secret: string): Promise<number> {
  const body = JSON.stringify(push)
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const headers = { 'content-type': 'application/json', 'x-github-event': 'push', 'x-hub-signature-256': signature }
  const answer = await request(address, { method: 'POST', headers, body, headersTimeout: patienceMs })
  await answer.body.dump()
  return answer.statusCode
}

/** Requests of a burst wait in line: one machine with two cores simulates Lambda. */
const patienceMs = 60 * 60_000

const namespace = `
apiVersion: v1
kind: Namespace
metadata: {name: burst}
---
apiVersion: v1
kind: Secret
metadata: {name: token, namespace: burst}
stringData: {token: ${token}}
`

const repository = (name: string, url: string, receiver: string): string => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: ${name}, namespace: burst, labels: {receiver: ${receiver}}}
spec: {interval: 1h, url: '${url}', ref: {branch: ${name}}}
`

const receiver = (name: string): string => `
apiVersion: notification.toolkit.fluxcd.io/v1
kind: Receiver
metadata: {name: ${name}, namespace: burst}
spec:
  type: github
  secretRef: {name: token}
  resources: [{kind: GitRepository, name: '*', matchLabels: {receiver: ${name}}}]
`

interface Source {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
  readonly status?: { readonly lastHandledReconcileAt?: string; readonly artifact?: object }
}

interface Receivers {
  readonly items: readonly {
    readonly metadata: { readonly name: string }
    readonly status?: { readonly webhookPath?: string }
  }[]
}

/** The addresses of Receivers by name. Fails while one has no path. */
export const receivedAt = (edge: string, { items }: Receivers): ReadonlyMap<string, string> =>
  new Map(
    items.map(({ metadata, status }) => {
      if (!status?.webhookPath) throw new Error(`Receiver ${metadata.name} has no path yet`)
      return [metadata.name, `${edge}${status.webhookPath}`]
    }),
  )

/** How many of these sources have not reconciled since a webhook asked them to, or have not been asked. */
export const notReconciled = (sources: readonly Source[]): number =>
  sources.filter(({ metadata, status }) => {
    const asked = metadata.annotations?.['reconcile.fluxcd.io/requestedAt']
    return asked === undefined || status?.lastHandledReconcileAt !== asked
  }).length
