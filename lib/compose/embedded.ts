import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { extname, join, resolve } from 'node:path'
import { byClientCertificate, unionAuthenticator } from '../hub/apiserver/authentication/authenticators.ts'
import { admin, bearerToken } from '../hub/apiserver/authentication/bearer-token.ts'
import { ConfigurationError } from '../hub/apiserver/configuration/read-configuration.ts'
import { createFairness } from '../hub/apiserver/fairness/fairness.ts'
import { kubeconfig } from '../hub/apiserver/identity/kubeconfig.ts'
import { DamagedIdentity, type ServingIdentity, servingIdentity } from '../hub/apiserver/identity/serving-identity.ts'
import { type Listener, listen } from '../hub/apiserver/wire/listen.ts'
import type { Hub } from '../hub/store/hub.ts'
import { DataDirectoryError } from '../platform/adapters/embedded/data-directory.ts'
import { type EmbeddedPlatform, embeddedPlatform } from '../platform/adapters/embedded/embedded-platform.ts'
import { workerPool } from '../platform/adapters/embedded/worker-pool.ts'
import { ambientIdentities } from '../platform/cloud/ambient-identities.ts'
import { ambientRegion } from '../platform/cloud/aws/ambient-identity.ts'
import type { Log } from '../platform/ports/log.ts'
import { type AuditLog, type AuditLogPorts, type AuditLogSettings, openAuditLog } from './audit-log.ts'
import { authenticationFile } from './authentication-file.ts'
import { helmOver } from './chart-inflation.ts'
import { decryptsSecrets } from './check-master-key.ts'
import { composeCloud } from './cloud.ts'
import { cloudKeys } from './cloud-keys.ts'
import { composeConsole } from './console.ts'
import { composeCore } from './core.ts'
import { ownDocs } from './docs-pages.ts'
import { type EdgeRoute, edgeOf } from './edge.ts'
import { startWork } from './embedded-work.ts'
import type { JwtPorts } from './jwt-authentication.ts'
import { composeAudit } from './kept-audit.ts'
import { localPlugins } from './local-plugins.ts'
import { composeMcp } from './mcp.ts'
import { consoleLogins } from './person-logins.ts'
import { registryLogin } from './registry-login.ts'
import type { Settings } from './settings/settings.ts'

export type { EdgeRoute }

export interface EmbeddedSettings extends Settings {
  /** Created if missing; holds everything that must not be lost. */
  readonly dataDirectory: string
  /** Port of the Kubernetes API, over TLS; 0 chooses a free one. */
  readonly apiPort: number
  /** Port of webhooks and artifacts, in plain HTTP as behind an ingress; 0 chooses a free one. */
  readonly edgePort: number
  /** Port of the console, in plain HTTP; 0 chooses a free one. By default the second after `apiPort`, or a free one if that is in use. */
  readonly consolePort?: number | undefined
  /** The file with the issuers of tokens that authenticate people (AuthenticationConfiguration); none if absent. */
  readonly authenticationConfig?: string | undefined
  /** Where and what is recorded in the audit log; nothing if absent. */
  readonly audit?: AuditLogSettings | undefined
  /** Served in addition to webhooks and artifacts. */
  readonly edgeRoutes: readonly EdgeRoute[]
  readonly log: Log
  /** Called if the disk failed in a way that only a new process can recover from: nothing is stored any more. */
  readonly onFatalError: (error: Error) => void
}

/** A hub in this process, on loopback. */
export interface EmbeddedHub {
  readonly hub: Hub
  /** Path of the admin's kubeconfig. */
  readonly kubeconfig: string
  readonly apiUrl: string
  readonly edgeUrl: string
  /** An address of the console that logs in the administrator once; undefined if the console was not bundled. */
  loginUrl(): Promise<string | undefined>
  /** The edge listener's handler. */
  edge(request: Request): Promise<Response>
  /** Stops accepting requests and work, waits two seconds for running work, and releases the data directory. */
  close(): Promise<void>
}

/** The hub can't be started with these settings; the message explains why in one line. */
export class StartFailed extends Error {}

/** Opens the data directory, listens, and resumes the work of an earlier process. Fails with StartFailed. */
export const startEmbeddedHub = async (settings: EmbeddedSettings): Promise<EmbeddedHub> => {
  const closers: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    const deadline = AbortSignal.timeout(closingMs)
    for (const step of closers.splice(0).reverse()) await orAborted(step(), deadline)
  }
  try {
    const { log } = settings
    let onSpaceFreed = (): void => {}
    const platform = await openPlatform(settings, () => onSpaceFreed())
    closers.push(platform.close)
    const identity = await servingIdentity(await identityDirectory(settings.dataDirectory), platform)

    const edge = edgeOf(settings.edgeRoutes)
    const edgeListener = await listenOn(settings.edgePort, 'edge-port', port =>
      listen({ handle: (request, _peer, _sent, remote) => edge.handle(request, remote), port }),
    )
    closers.push(edgeListener.close)

    const workers = workerPool({
      entry: heavyWorkThread,
      size: workersOf(availableParallelism()),
      seconds: settings.buildLimits.seconds,
      megabytes: settings.buildLimits.megabytes,
    })
    closers.push(workers.close)
    const cloud = composeCloud(platform.clock, settings)
    closers.push(cloud.close)
    const own = ambientIdentities(cloud)
    const identities = { ...own, environment: cloud.environment }
    const core = composeCore(
      {
        ...platform,
        log,
        cloudKeys: cloudKeys(cloud),
        identities,
        accounts: { cloud, ownAws: own.aws, region: ambientRegion(cloud) },
        login: registryLogin(cloud),
        connections: cloud.connections,
        offThread: workers,
        plugins: await localPlugins(settings.pluginNetwork),
        ...(settings.enableHelm && { helm: helmOver(cloud.connections) }),
        waiting: platform.queue.waiting,
      },
      { ...settings, artifactAddress: edgeListener.url, rolesMaxAgeMs: Number.POSITIVE_INFINITY },
    )
    closers.push(core.close)
    edge.add({ prefix: '/hook', handle: (request, _, remote) => core.webhook(request, remote) })
    for (const route of core.artifactRoutes) edge.add(route)
    await core.hub.prepare()
    if (!(await decryptsSecrets({ ...platform, hub: core.hub, log })))
      throw new StartFailed(
        `${join(resolve(settings.dataDirectory), 'master.key')} decrypts none of the Secrets in hub.db: they were encrypted with another key; restore that one from a backup`,
      )
    const issuers = await userIssuersOf(
      settings,
      { ...platform, log, connections: cloud.connections },
      core.tokenIssuer,
    )
    if (issuers) closers.push(issuers.close)
    const callers = unionAuthenticator(
      byClientCertificate,
      bearerToken(identity.token, admin),
      ...(issuers ? [issuers.authenticate] : []),
    )
    const auditLog = await auditLogOf(settings, { ...platform, log })
    if (auditLog) closers.push(auditLog.close)
    const extras = {
      fairness: createFairness(settings),
      audit: composeAudit({ ...platform, log }, settings, auditLog?.audit),
    }
    const withTools = composeMcp({ ...platform, log }, core.withRunners(core.api(callers, extras), extras), {
      allowsWrites: settings.mcpWrites,
      allowsDecisions: settings.mcpDecisions,
      docs: ownDocs(),
      ...(issuers && { issuers: () => issuers.loginIssuers().map(({ url }) => url) }),
    })
    const console = composeConsole(
      platform,
      withTools,
      identity.token,
      issuers && consoleLogins(issuers.loginIssuers, cloud.connections, log),
    )
    const handle = console?.handle ?? withTools
    const api = await listenOn(settings.apiPort, 'port', port =>
      listen({ handle, certificate: identity.server, clientAuthority: identity.authority, port }),
    )
    closers.push(api.close)
    const { consolePort, apiPort } = settings
    const usual = apiPort === 0 ? 0 : apiPort + 2
    if (console) {
      const { close } = await listenOn(consolePort ?? usual, 'console-port', () =>
        console.listen({ port: consolePort, usual }),
      )
      closers.push(close)
    }

    const work = startWork(core, { ...platform, connections: cloud.connections, identities }, settings)
    closers.push(work.stop)
    onSpaceFreed = work.resume
    return {
      hub: core.hub,
      kubeconfig: await keepKubeconfig(settings.dataDirectory, api, identity),
      apiUrl: api.url,
      edgeUrl: edgeListener.url,
      loginUrl: async () => console?.loginUrl(),
      edge: edge.handle,
      close,
    }
  } catch (error) {
    await close()
    throw asStartFailure(error, settings)
  }
}

/** Sources are TypeScript; a package has JavaScript beside its declarations. */
const heavyWorkThread = new URL(`./heavy-work-thread${extname(import.meta.url)}`, import.meta.url)

/** Leaves one processor to the serving thread; each worker may take as much memory as a build. */
const workersOf = (processors: number): number => Math.max(1, Math.min(2, processors - 1))

/**
 * Maximum duration of closing. Waiting for a silent server could take its whole timeout; an interrupted pass is no loss, as the next start
 * resumes it.
 */
const closingMs = 2_000

const orAborted = async (work: Promise<void>, signal: AbortSignal): Promise<void> => {
  const aborted = Promise.withResolvers<void>()
  const abort = () => aborted.resolve()
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  work.catch(() => {}) // once no one waits for it, its failure is ignored
  await Promise.race([work, aborted.promise])
  signal.removeEventListener('abort', abort)
}

/** Errors that a user can fix are shown in one line: an identity or a file that can't be read or written. */
const asStartFailure = (error: unknown, { dataDirectory }: EmbeddedSettings): unknown => {
  if (error instanceof DamagedIdentity) return new StartFailed(error.message, { cause: error })
  const { code, path, message } = error as NodeJS.ErrnoException
  if (code === undefined || path === undefined) return error
  return new StartFailed(`cannot use ${resolve(dataDirectory)} as data directory: ${message}`, { cause: error })
}

const openPlatform = async (
  { dataDirectory, log, onFatalError, namespaceMaxObjects, namespaceMaxMegabytes }: EmbeddedSettings,
  onSpaceFreed: () => void,
): Promise<EmbeddedPlatform> => {
  try {
    return await embeddedPlatform(dataDirectory, {
      namespaceBound: { objects: namespaceMaxObjects, bytes: namespaceMaxMegabytes * 1024 * 1024 },
      onFatalError,
      onSpaceFreed,
      queue: {
        onFailure: ({ message, error, willRetry }) =>
          log.error(willRetry ? 'a message failed and will be delivered again' : 'a message failed for good', {
            ...message.ref,
            error,
          }),
      },
    })
  } catch (error) {
    throw error instanceof DataDirectoryError ? new StartFailed(error.message, { cause: error }) : error
  }
}

/** The issuers of tokens that authenticate people; undefined if none are configured. */
const userIssuersOf = async (
  { authenticationConfig: path }: EmbeddedSettings,
  ports: JwtPorts,
  tokenIssuer: string,
) => {
  if (path === undefined) return undefined
  return orStartFailed(`failed to load authentication configuration from file "${path}"`, () =>
    authenticationFile(resolve(path), ports, [tokenIssuer]),
  )
}

/** The audit log; undefined if none is configured. */
const auditLogOf = async ({ audit }: EmbeddedSettings, ports: AuditLogPorts): Promise<AuditLog | undefined> => {
  if (!audit) return undefined
  const { policyFile, path } = audit
  const what = `failed to open the audit log ${path}${policyFile ? ` by the policy in "${policyFile}"` : ''}`
  return orStartFailed(what, () => openAuditLog(audit, ports))
}

/** Invalid files, and files that can't be read or written, are for the user to fix. */
const orStartFailed = async <T>(what: string, open: () => Promise<T>): Promise<T> => {
  try {
    return await open()
  } catch (error) {
    const isFault = error instanceof ConfigurationError || (error as NodeJS.ErrnoException).code !== undefined
    if (!isFault) throw error
    throw new StartFailed(`${what}: ${(error as Error).message}`, { cause: error })
  }
}

const identityDirectory = async (dataDirectory: string): Promise<string> => {
  const directory = join(resolve(dataDirectory), 'identity')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  return directory
}

const listenOn = async (port: number, option: string, open: (port: number) => Promise<Listener>): Promise<Listener> => {
  try {
    return await open(port)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new StartFailed(
        `port ${port} of 127.0.0.1 is in use: stop what listens there, or choose another with --${option}`,
        {
          cause: error,
        },
      )
    if (code === 'EACCES') throw new StartFailed(`port ${port} may not be used: ${message}`, { cause: error })
    throw error
  }
}

const keepKubeconfig = async (dataDirectory: string, api: Listener, identity: ServingIdentity): Promise<string> => {
  const path = join(resolve(dataDirectory), 'kubeconfig')
  await writeFile(path, kubeconfig({ server: api.url, authority: identity.authority, token: identity.token }), {
    mode: 0o600,
  })
  return path
}
