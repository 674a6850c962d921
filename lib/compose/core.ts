import { type ApiHandler, createApiServer, type RequestHandler } from '../apiserver/api-server.ts'
import { byServiceAccountToken, firstToKnow } from '../apiserver/authenticators.ts'
import type { Authenticate } from '../apiserver/caller.ts'
import { serviceAccountTokens } from '../apiserver/service-account-tokens.ts'
import { signingKey } from '../apiserver/signing-key.ts'
import { accessControl } from '../authorize/access-control.ts'
import type { ClusterClient } from '../cluster/client.ts'
import { clusterClient } from '../cluster/cluster-client.ts'
import { clusters as remoteClusters } from '../cluster/clusters.ts'
import { connection } from '../cluster/connection.ts'
import { eksAccess } from '../cluster/eks-access.ts'
import { handlerTransport } from '../cluster/handler-transport.ts'
import type { Impersonation } from '../cluster/kubeconfig.ts'
import { createHub, type TendedHub } from '../hub/create-hub.ts'
import { withSecretReferences } from '../hub/secret-references.ts'
import { hubDefinitions } from '../hub/definitions.ts'
import { builtInKinds } from '../kinds/all.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import type { PluginRunner } from '../kustomize/plugins/exec/plugin-runner.ts'
import { createAlerting } from '../notify/alerting.ts'
import { createEventRecorder } from '../notify/event-recorder.ts'
import type { Outbox } from '../notify/outbox.ts'
import { createSenders } from '../notify/senders/all.ts'
import type { CloudIdentities } from '../notify/senders/cloud.ts'
import type { ArtifactStore } from '../ports/artifacts.ts'
import type { Clock } from '../ports/clock.ts'
import type { Keys } from '../ports/keys.ts'
import type { Leases } from '../ports/leases.ts'
import type { Log } from '../ports/log.ts'
import type { ObjectStore } from '../ports/objects.ts'
import type { Queue } from '../ports/queue.ts'
import type { Random } from '../ports/random.ts'
import type { Schedule } from '../ports/schedule.ts'
import type { SecretSource } from '../ports/secret-source.ts'
import type { DecryptionPorts } from '../reconcile/kustomization/decryption/decryption.ts'
import { kustomizationReconciler } from '../reconcile/kustomization/kustomization.ts'
import { defaultKustomizationSettings } from '../reconcile/kustomization/settings.ts'
import { receiverReconciler } from '../reconcile/receiver/receiver.ts'
import { resourceSetReconciler } from '../reconcile/resource-set/resource-set.ts'
import { defaultResourceSetSettings } from '../reconcile/resource-set/settings.ts'
import { inputProviderReconciler } from '../reconcile/resource-set-input-provider/resource-set-input-provider.ts'
import { createAddressing } from '../reconcile/runtime/addressing.ts'
import { createHints } from '../reconcile/runtime/hints.ts'
import {
  createLoop,
  defaultLoopSettings,
  type FinishedPass,
  type Loop,
  type LoopSettings,
} from '../reconcile/runtime/loop.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { remoteBases } from '../source/bases/remote-bases.ts'
import { forgeClient } from '../source/forge/forge-client.ts'
import { gitClient } from '../source/git/git-client.ts'
import { ociClient } from '../source/oci/oci-client.ts'
import { connections } from '../source/http/connections.ts'
import { guardedFetch } from '../source/http/guarded-fetch.ts'
import { createDeliveries } from '../webhook/deliveries.ts'
import { createIdTokens } from '../webhook/id-token.ts'
import { webhookHandler } from '../webhook/webhook.ts'
import { withAccountTokens } from './cloud-keys.ts'
import type { EdgeRoute } from './edge.ts'
import type { Settings } from './settings.ts'
import { composeSources } from './sources.ts'

/** What a platform brings. */
export interface Ports {
  readonly objects: ObjectStore
  readonly schedule: Schedule
  readonly leases: Leases
  readonly artifacts: ArtifactStore
  readonly queue: Queue
  readonly keys: Keys
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Where data of Secrets are that only refer to them. */
  readonly secretSource?: SecretSource
  /** Told of each pass, for metrics. */
  readonly observe?: (pass: FinishedPass) => void
  /** Runs kustomize plugins, of the groups that the settings allow. */
  readonly plugins?: PluginRunner
  /** How key services of clouds are reached to decrypt, and as whom; keys in Secrets alone decrypt without. */
  readonly cloudKeys?: DecryptionPorts
  /** Whom clouds see when this process tells them of events. */
  readonly identities?: Pick<CloudIdentities, 'aws' | 'gcp' | 'environment'>
}

export interface CoreSettings extends Settings {
  /** Where artifacts are served, as written into `status.artifact.url`; without a slash at the end. */
  readonly artifactAddress: string
  /** How old the knowledge of roles and kinds that other processes wrote may be; Infinity where there are none. */
  readonly rolesMaxAgeMs?: number
  /** Build in a stage of its own when a source has news: where one process's builds serve others. */
  readonly buildAhead?: boolean
  /** The issuer named in tokens of ServiceAccounts, which is also their audience unless they ask for another. */
  readonly tokenIssuer?: string
}

/** What a test puts in place of a part. */
export interface CoreOverrides {
  /** The cluster that objects without a kubeConfig are applied to: the hub itself, unless something stands before it. */
  readonly hubCluster?: (hub: AsCluster) => AsCluster
  readonly loop?: Partial<LoopSettings>
}

/** A cluster as its own identity, or as another. */
type AsCluster = (impersonate?: Impersonation) => ClusterClient

/** The product without a platform: the hub, its API, and the loop that reconciles what it holds. */
export interface Core {
  readonly hub: TendedHub
  readonly reconcilers: readonly Reconciler<KubernetesObject>[]
  readonly loop: Loop
  /** The hub's Kubernetes API, for callers that `authenticate` knows, and for ServiceAccounts with their tokens. */
  api(authenticate: Authenticate): ApiHandler
  /** Answers webhooks, at the paths below `/hook`. */
  readonly webhook: RequestHandler
  /** Serve the artifacts of sources, at paths that begin with their kind. */
  readonly artifactRoutes: readonly EdgeRoute[]
  /** Lets go of connections to git servers and clusters. */
  close(): Promise<void>
}

const defaultRolesMaxAgeMs = 5_000
/** As Kubernetes' own default; who wants others to check tokens by it sets the hub's address. */
const defaultTokenIssuer = 'https://kubernetes.default.svc'

/** What keeps something in the hub in order, as the hub itself does with its objects. */
type Tending = Pick<TendedHub, 'prepare' | 'sweep' | 'settled'>

const tendedWith = (hub: TendedHub, others: readonly Tending[], hintsSettled: () => Promise<void>): TendedHub => ({
  ...hub,
  prepare: async () => {
    for (const one of [hub, ...others]) await one.prepare()
  },
  sweep: async () => {
    for (const one of [...others, hub]) await one.sweep()
  },
  settled: async () => {
    for (const one of [...others, hub]) await one.settled()
    await hintsSettled()
  },
})

/** The loop, which delivers notifications too: they travel on its queues. */
const withOutbox = (loop: Loop, outbox: Outbox): Loop => ({
  ...loop,
  handle: (message, signal) => (outbox.owns(message) ? outbox.handle(message) : loop.handle(message, signal)),
  tick: async () => {
    await loop.tick()
    await outbox.sweep()
  },
})

/** Who reconcilers are when they apply to the hub. */
const controller = { name: 'system:serviceaccount:keelson-system:kustomize-controller', groups: ['system:masters'] }

export const composeCore = (ports: Ports, settings: CoreSettings, overrides: CoreOverrides = {}): Core => {
  const { clock, log } = ports
  const rolesMaxAgeMs = settings.rolesMaxAgeMs ?? defaultRolesMaxAgeMs
  const onTendingError = (error: unknown) =>
    log.error('keeping roles and kinds in order will be tried again', { error })
  const definitions = hubDefinitions(
    builtInKinds,
    { hub: () => objects, clock, onError: onTendingError },
    rolesMaxAgeMs,
  )
  const { kinds } = definitions
  const reconciledKinds = new Set<string>()
  const objects = createHub({
    ...ports,
    kinds,
    isReconciled: ({ group, kind }) => reconciledKinds.has(`${group}/${kind}`),
    groupOf: object => addressing.groupOf(object),
    onChange: (ref, before, after) => {
      definitions.notice(ref, after)
      access.notice(ref, after)
      hint(ref, before, after)
    },
    onError: (ref, error) => log.error('background work will be tried again', { ...ref, error }),
  })
  const access = accessControl({ hub: objects, clock, onError: onTendingError }, rolesMaxAgeMs)
  const stored = tendedWith(objects, [definitions, access], () => hint.settled())
  const hub = ports.secretSource ? withSecretReferences(stored, ports.secretSource) : stored
  const key = signingKey(ports)
  const tokens = serviceAccountTokens({ ...ports, hub, key, issuer: settings.tokenIssuer ?? defaultTokenIssuer })
  const api = (authenticate: Authenticate): ApiHandler =>
    createApiServer({
      hub: stored,
      kinds,
      refreshKinds: definitions.refresh,
      clock,
      authenticate: firstToKnow(authenticate, byServiceAccountToken(tokens)),
      authorizer: access.authorizer,
      tokens,
      onError: (error, request) => log.error('request failed', { ...request, error }),
    })
  const inProcess = handlerTransport(api(async () => controller))
  const hubConnection = connection('hub', inProcess, { clock })
  const hubAsCluster: AsCluster = impersonate => clusterClient(hubConnection, impersonate)
  const hubCluster = overrides.hubCluster?.(hubAsCluster) ?? hubAsCluster
  const { aws, environment = {} } = ports.identities ?? {}
  const clusters = remoteClusters({
    clock,
    ...(aws && { eks: eksAccess({ identity: aws, environment, fetch: guardedFetch(), clock }) }),
    onWarning: (server, warning) => log.info('a kubeconfig asks for something that is left out', { server, warning }),
  })
  const git = gitClient()
  const forges = forgeClient(clock)
  const oci = ociClient(clock)
  const remotes = remoteBases(git)
  const sources = composeSources({ ...ports, hub, git }, settings)

  const reconcilers = [
    ...sources.reconcilers,
    kustomizationReconciler(
      { ...ports, hub, clusters, hubCluster, remotes, cloudKeys: withAccountTokens(ports.cloudKeys, tokens, settings) },
      { ...defaultKustomizationSettings, ...settings },
    ),
    receiverReconciler({ hub }),
    resourceSetReconciler(
      { ...ports, hub, clusters, hubCluster },
      { ...defaultResourceSetSettings, defaultServiceAccount: settings.defaultServiceAccount },
    ),
    inputProviderReconciler({ hub, hubCluster, clock, forges, oci }),
  ] as unknown as readonly Reconciler<KubernetesObject>[]
  for (const { kind } of reconcilers) reconciledKinds.add(`${kind.group}/${kind.kind}`)

  const told = connections()
  const senders = createSenders({ environment: {}, ...ports.identities, fetch: guardedFetch(), clock })
  const alerting = createAlerting(
    { ...ports, hub, events: createEventRecorder({ hub, clock }), connections: told, senders },
    settings,
  )
  const loopPorts = { ...ports, hub, events: alerting.events }
  const addressing = createAddressing(hub, reconcilers)
  const hint = createHints(loopPorts, reconcilers)
  const passes = createLoop(loopPorts, reconcilers, {
    ...defaultLoopSettings,
    jitterPercentage: settings.intervalJitterPercentage,
    ...overrides.loop,
  })

  return {
    hub,
    reconcilers,
    loop: withOutbox(passes, alerting.outbox),
    api,
    webhook: webhookHandler(
      { ...ports, hub, deliveries: createDeliveries(ports.objects, clock), idTokens: createIdTokens(guardedFetch()) },
      settings,
    ),
    artifactRoutes: sources.artifactRoutes,
    close: async () => {
      await Promise.all([clusters.close(), sources.close(), git.close(), forges.close(), oci.close(), remotes.close(), told.close()])
    },
  }
}
