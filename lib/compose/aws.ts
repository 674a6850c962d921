import { awsClients } from '../adapters/aws/aws-clients.ts'
import { awsPlatform } from '../adapters/aws/aws-platform.ts'
import { pluginRunner } from '../adapters/embedded/plugin-runner.ts'
import type { Authenticate } from '../apiserver/caller.ts'
import { ambientAwsIdentity } from '../cloud/aws/ambient-identity.ts'
import type { Log } from '../ports/log.ts'
import type { Message } from '../ports/queue.ts'
import { collectBuilds } from '../reconcile/kustomization/build-cache.ts'
import { askFollowers, type RegistryPush } from '../webhook/registry-push.ts'
import type { AwsEnvironment } from './aws-environment.ts'
import type { Observability } from './aws-observability.ts'
import { composeCloud } from './cloud.ts'
import { cloudKeys } from './cloud-keys.ts'
import { composeCore } from './core.ts'
import { ensureRootSource } from './root-source.ts'
import { stsCallers } from './sts-callers.ts'

/** A hub whose parts are AWS': one use case for each function. */
export interface AwsHub {
  readonly log: Log
  /** Enqueues what is due, and now and then tidies up. To be called every minute. */
  tick(): Promise<void>
  /** Looks at the object that a message names. `id` tells this delivery from others in the log. */
  handle(message: Message, id: string, signal: AbortSignal): Promise<void>
  webhook(request: Request): Promise<Response>
  /** Asks those to reconcile who follow what was pushed; resolves to how many. */
  registryPush(push: RegistryPush): Promise<number>
  /** The Kubernetes API, for callers of the hub's account and those it was told of. */
  api(account: string): (request: Request) => Promise<Response>
  /** What the calls above set off has been seen to: a function must not end before. */
  settled(): Promise<void>
}

const sweepMs = 10 * 60_000
const buildsKeptMs = 24 * 60 * 60_000
/** Role bindings that another function wrote take effect within this time. */
const rolesMaxAgeMs = 5000

/** Kustomize plugins come in a layer. Lambda lets no process leave its network: what plugins may reach is what the function may. */
const layerPlugins = pluginRunner({ network: true })

/** Asks nothing of AWS by itself: made while a function starts, it connects at the first use. */
export const openAwsHub = (environment: AwsEnvironment, { log, observe, within }: Observability): AwsHub => {
  const { hubName, region, bucket, settings, admins, rootSource } = environment
  const platform = awsPlatform(environment, { clients: awsClients({ region }) })
  const { artifacts, clock } = platform
  const cloud = composeCloud(clock, { metadataService: false })
  const identities = { aws: ambientAwsIdentity(cloud), environment: cloud.environment }
  const core = composeCore(
    { ...platform, log, observe, identities, cloudKeys: cloudKeys(cloud), plugins: layerPlugins },
    { ...settings, artifactAddress: `s3://${bucket}/artifacts`, buildAhead: true, rolesMaxAgeMs },
  )
  const { hub, loop } = core

  let prepared: Promise<void> | undefined
  /** What every hub has. Done by each process that starts: doing it again changes nothing. */
  const prepare = async (): Promise<void> => {
    await hub.prepare()
    if (rootSource) await ensureRootSource(hub, rootSource)
  }

  let sweptAt = Number.NEGATIVE_INFINITY
  const sweep = async (): Promise<void> => {
    if (clock.now() - sweptAt < sweepMs) return
    sweptAt = clock.now()
    await Promise.all([hub.sweep(), platform.sweep(), collectBuilds(artifacts, clock.now() - buildsKeptMs)])
  }

  return {
    log,

    tick: async () => {
      prepared ??= prepare()
      await prepared.catch(error => {
        prepared = undefined
        log.error('preparing the hub will be tried again', { error })
      })
      await loop.tick()
      await sweep().catch(error => log.error('tidying up will be tried again', { error }))
    },

    handle: (message, id, signal) => {
      const { kind, namespace, name } = message.ref
      return within({ kind, namespace, name, reconcileID: id }, async () => {
        try {
          await loop.handle(message, signal)
        } catch (error) {
          log.error('a message failed and will come again', { error })
          throw error
        }
      })
    },

    webhook: core.webhook,

    registryPush: push => askFollowers({ ...platform, hub, log }, push),

    api: account => {
      const authenticate: Authenticate = stsCallers({ hub, clock, log, cloud }, { hubName, admins, region, account })
      return core.api(authenticate)
    },

    settled: hub.settled,
  }
}
