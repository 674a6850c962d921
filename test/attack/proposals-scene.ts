import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { eventually } from '../bed/eventually.ts'
import { ownerOf } from '../bed/fleet-objects.ts'
import { type AttackWorld, verdictOf } from './world.ts'

const sources = '/apis/source.toolkit.fluxcd.io/v1/namespaces/victim/gitrepositories'
const kustomizations = '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/victim/kustomizations'
const receivers = '/apis/notification.toolkit.fluxcd.io/v1/namespaces/victim/receivers'
export const pullRequests = '/apis/fleet.keelson.dev/v1alpha1/namespaces/victim/pullrequests'

/** The victim plans pull requests of its repository; the key of its webhook is known to the forge alone. */
const objects = (url: string, token: string): string => `
${ownerOf('victim', 'default')}
apiVersion: v1
kind: Secret
metadata: {name: forge, namespace: victim}
stringData: {token: secret}
---
apiVersion: v1
kind: Secret
metadata: {name: hook, namespace: victim}
stringData: {token: ${token}}
---
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Provider
metadata: {name: forge, namespace: victim}
spec: {type: gitea, address: '${url}', secretRef: {name: forge}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: proposed, namespace: victim}
spec: {url: '${url}', ref: {branch: main}, interval: 1h}
`

/** Once there is an artifact: it would else wait for that for half a minute. */
const unit = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: proposed, namespace: victim}
spec:
  interval: 1h
  prune: true
  path: ./app
  targetNamespace: victim
  sourceRef: {kind: GitRepository, name: proposed}
  postBuild: {substituteFrom: [{kind: Secret, name: kept}]}
---
apiVersion: notification.toolkit.fluxcd.io/v1
kind: Receiver
metadata:
  name: proposed
  namespace: victim
  annotations: {fleet.keelson.dev/plan-pull-requests: forge, fleet.keelson.dev/plan-forks: friend}
spec: {type: github, events: [pull_request], secretRef: {name: hook}, resources: [{kind: GitRepository, name: proposed}]}
`

const token = 'key-of-the-webhook'

interface Said {
  readonly number: number
  readonly sha: string
  readonly state?: 'open' | 'closed'
  readonly fork?: string
  readonly base?: string
}

/** What somebody outside of the hub can do: open pull requests, and send requests to its webhook. */
export interface Proposals {
  /** Pushes the head of a new pull request. */
  push(changes: Readonly<Record<string, string | null>>, message?: string): Promise<Said>
  /** The event of a pull request as the forge sends it, or with another signature. */
  send(said: Said, signature?: (body: string) => string | undefined): Promise<{ status: number; text: string }>
  /** The comment on a pull request. */
  commentOn(number: number): Promise<string>
  /** Pushes and reports a pull request; resolves to its comment. */
  propose(changes: Readonly<Record<string, string | null>>, message?: string): Promise<string>
}

export const signed = (key: string) => (body: string) => createHmac('sha256', key).update(body).digest('hex')

let last = 0

export const proposalsScene = async (world: AttackWorld): Promise<Proposals> => {
  const { hub, admin, proposals } = world
  const { repo, url, forge } = proposals
  if ((await admin.request('GET', `${receivers}/proposed`)).status === 404) {
    await hub.apply(objects(url, token))
    await verdictOf(admin, `${sources}/proposed`)
    await hub.apply(unit)
  }
  assert.equal((await verdictOf(admin, `${kustomizations}/proposed`)).status, 'True')
  await verdictOf(admin, `${receivers}/proposed`)
  const { body } = await admin.request('GET', `${receivers}/proposed`)
  const { webhookPath } = (body as { readonly status: { readonly webhookPath: string } }).status

  const push: Proposals['push'] = async (changes, message) => {
    const number = ++last
    const sha = await repo.push(changes, { branch: `proposal-${number}`, ...(message !== undefined && { message }) })
    await repo.git('update-ref', `refs/pull/${number}/head`, sha)
    return { number, sha }
  }
  const send: Proposals['send'] = async (
    { number, sha, state = 'open', fork = 'org/app', base = 'main' },
    sign = signed(token),
  ) => {
    const sent = JSON.stringify({
      action: state,
      pull_request: {
        ...{ number, state, user: { login: 'stranger' } },
        head: { sha, repo: { full_name: fork } },
        base: { ref: base, repo: { full_name: 'org/app' } },
      },
      repository: { clone_url: url },
    })
    const signature = sign(sent)
    const headers = {
      ...{ 'content-type': 'application/json', 'x-gitea-event': 'pull_request' },
      ...(signature !== undefined && { 'x-gitea-signature': signature }),
    }
    const response = await fetch(`${hub.edge}${webhookPath}`, { method: 'POST', headers, body: sent })
    return { status: response.status, text: await response.text() }
  }
  const commentOn = (number: number) =>
    eventually(() => forge.comments.find(({ pull }) => pull === String(number))?.text ?? null, { within: 60_000 })
  return {
    ...{ push, send, commentOn },
    propose: async (changes, message) => {
      const said = await push(changes, message)
      assert.equal((await send(said)).status, 200)
      return commentOn(said.number)
    },
  }
}
