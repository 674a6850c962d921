import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { Condition, KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { eventually, type Patience } from '../bed/eventually.ts'
import { ownerOf } from '../bed/fleet-objects.ts'
import { type ForgeRepository, startForgeRepository } from '../bed/forge.ts'
import { type GitRepo, startGitRepo } from '../bed/git-repo.ts'
import { type Hub, startHub } from '../bed/hub.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { type Canary, startCanary } from './canary.ts'

/**
 * A hub in a process of its own with both lock-downs on, and two tenants: `victim` has things that it keeps to itself, and `mallory` is
 * the attacker, who may do everything in the namespace `mallory` and nothing elsewhere.
 */
export interface AttackWorld extends AsyncDisposable {
  readonly hub: Hub
  readonly admin: ApiClient
  readonly mallory: ApiClient
  /** A repository of the victim's with a file that mallory must not see. */
  readonly victimRepo: GitRepo
  /** A repository of mallory's. */
  readonly malloryRepo: GitRepo
  /** A repository of the victim's in a forge, whose pull requests anybody may open. */
  readonly proposals: ForgeRepository
  /** What stands in the victim's Secret, ConfigMap and repository, and must turn up nowhere else. */
  readonly secret: string
  /** A server that mallory must not have the hub connect to. */
  readonly forbidden: Canary
  /** What the victim's Secret `prod` names as its cluster, and mallory must not have the hub connect to. */
  readonly victimCluster: Canary
  /** Another one each time: attempts don't meet. */
  freshName(): string
  /** Fails when the hub's process has ended, or does not answer its probes. */
  requireHealthy(): Promise<void>
}

/** Where the test bed serves repositories; the rest of this machine is forbidden to objects. */
const served = '127.0.0.1'

/** What the victim has in the repository before any pull request: one object takes a variable of a Secret. */
export const proposedTo: Readonly<Record<string, string>> = {
  'app/known.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: known}\ndata: {value: one}\n',
  'app/variable.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: variable}\ndata: {value: "${token}"}\n',
}

const lockDowns = [
  '--default-service-account=default',
  '--no-cross-namespace-refs',
  '--feature-gates=ExternalArtifact=true',
]

export const startAttackWorld = async (flags: readonly string[] = []): Promise<AttackWorld> => {
  const secret = 'kept-by-the-victim-8c1f'
  await using started = new AsyncDisposableStack()
  const hub = started.use(await startHub({ flags: [...lockDowns, ...flags], allowAddresses: [served] }))
  const manifest = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kept}\ndata: {kept: ${secret}}\n`
  const victimRepo = started.use(await startGitRepo({ 'kept.yaml': manifest }))
  const malloryRepo = started.use(await startGitRepo({ 'own.yaml': manifest.replace(secret, 'own') }))
  const proposals = started.use(await startForgeRepository('gitea', proposedTo))
  const forbidden = started.use(await startCanary('127.0.0.2'))
  const victimCluster = started.use(await startCanary(served))
  const admin = adminOf(hub)
  await hub.apply(tenants(secret, victimRepo.url, `http://${victimCluster.host}:${victimCluster.port}`))
  const mallory = admin.withToken(await tokenFor(admin, 'mallory', 'attacker'))
  await eventually(async () => assert.equal((await readyOf(admin, victimSource))?.status, 'True'))
  let names = 0
  const pid = hub.pid
  const owned = started.move()
  return {
    hub,
    admin,
    mallory,
    victimRepo,
    malloryRepo,
    proposals,
    secret,
    forbidden,
    victimCluster,
    freshName: () => `try-${++names}`,
    async requireHealthy() {
      assert.equal(hub.pid, pid, "the hub's process has ended")
      for (const probe of ['/readyz', '/livez']) {
        const { status } = await admin.request('GET', probe)
        assert.equal(status, 200, `${probe} answers ${status}`)
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

export const victimSource = '/apis/source.toolkit.fluxcd.io/v1/namespaces/victim/gitrepositories/app'

/** The condition Ready of an object, by its path. */
export const readyOf = async (client: ApiClient, path: string): Promise<Condition | undefined> => {
  const { body } = await client.request('GET', path)
  const { status } = body as { readonly status?: { readonly conditions?: readonly Condition[] } }
  return status?.conditions?.find(({ type }) => type === 'Ready')
}

/** Waits until an object has a verdict of its present generation, and returns its condition Ready. */
export const verdictOf = (client: ApiClient, path: string, patience?: Patience): Promise<Condition> =>
  eventually(async () => {
    const { body } = await client.request('GET', path)
    const { metadata, status } = body as KubernetesObject & { readonly status?: { readonly conditions?: Condition[] } }
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')
    if (!ready || ready.status === 'Unknown' || ready.observedGeneration !== metadata.generation) return null
    return ready
  }, patience)

/** A client with the administrator's token. */
export const adminOf = (hub: Pick<Hub, 'kubeconfig' | 'server'>): ApiClient => {
  const { authority, token } = accessTo(hub)
  return apiClient({ server: hub.server, ca: Buffer.from(authority, 'base64'), token })
}

/** The certificate of the hub's authority, in base64, and the administrator's token. */
export const accessTo = ({ kubeconfig }: Pick<Hub, 'kubeconfig'>): { authority: string; token: string } => {
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as {
    readonly clusters: readonly [{ readonly cluster: { readonly 'certificate-authority-data': string } }]
    readonly users: readonly [{ readonly user: { readonly token: string } }]
  }
  return { authority: clusters[0].cluster['certificate-authority-data'], token: users[0].user.token }
}

/** A token of a ServiceAccount. */
export const tokenFor = async (admin: ApiClient, namespace: string, account: string): Promise<string> => {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`
  const { status, body } = await admin.request('POST', path, { spec: { expirationSeconds: 7200 } })
  assert.equal(status, 201, JSON.stringify(body))
  return (body as { readonly status: { readonly token: string } }).status.token
}

const tenants = (secret: string, repository: string, cluster: string): string => `
apiVersion: v1
kind: Namespace
metadata: {name: mallory}
---
apiVersion: v1
kind: Namespace
metadata: {name: victim}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: attacker, namespace: mallory}
---
${ownerOf('mallory', 'attacker')}
${ownerOf('mallory', 'default')}
apiVersion: v1
kind: Secret
metadata: {name: kept, namespace: victim, annotations: {kept: ${secret}}}
stringData: {kept: ${secret}, token: ${secret}}
---
apiVersion: v1
kind: Secret
metadata: {name: prod, namespace: victim}
stringData:
  value: |
    apiVersion: v1
    kind: Config
    current-context: prod
    contexts: [{name: prod, context: {cluster: prod, user: prod}}]
    clusters: [{name: prod, cluster: {server: '${cluster}'}}]
    users: [{name: prod, user: {token: '${secret}'}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: kept, namespace: victim}
data: {kept: ${secret}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: app, namespace: victim}
spec: {url: '${repository}', ref: {branch: main}, interval: 1h}
---
apiVersion: notification.toolkit.fluxcd.io/v1
kind: Receiver
metadata: {name: hook, namespace: victim}
spec: {type: generic, secretRef: {name: kept}, resources: [{kind: GitRepository, name: app}]}
`
