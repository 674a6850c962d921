/** `/runner/v1/`: requests of runners, in front of its Kubernetes API, under its fairness and in its audit log. Stateless but for the lease of each cluster. */
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { cluster as clusterKind } from '../../foundations/kinds/cluster.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type { Secret } from '../../foundations/kinds/secret.ts'
import { describeTarget, type TargetReference } from '../../foundations/kinds/target-reference.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { type Lease, LeaseLost, type Leases } from '../../platform/ports/leases.ts'
import type { HeldWakeUps } from '../../platform/ports/wake-ups.ts'
import type { ApiServerOptions } from '../apiserver/api-server.ts'
import type { AuditTrail } from '../apiserver/audit/audit-trail.ts'
import { type ApiHandler, recordedHandler } from '../apiserver/recorded-handler.ts'
import { methodNotAllowed, unauthorized } from '../apiserver/refusals.ts'
import { bodyBytes, parsedObject } from '../apiserver/wire/body.ts'
import { respond } from '../apiserver/wire/respond.ts'
import { badRequest, noSuchResource } from '../store/api-errors.ts'
import { ApiError, type Hub } from '../store/hub.ts'
import { anonymous, apiVerbOf, resourceOf, userOf } from './as-caller.ts'
import { artifactNamed, changersOf, copyOf, type Readable, readableBy, runnerAccess } from './copy.ts'
import { type DataOfSet, readDataOfSets } from './data-of-sets.ts'
import { headNamed } from './ordered-head.ts'
import { heldMs, type RunnerPace } from './pace.ts'
import type {
  ArtifactRequest,
  ArtifactResponse,
  EnrolRequest,
  Leased,
  RenewRequest,
  SyncRequest,
  SyncResponse,
  WaitRequest,
  WaitResponse,
  WakeUp,
} from './protocol.ts'
import { runnerPath } from './protocol.ts'
import { withFinalizers } from './report.ts'
import { runnerLeaseRef } from './runner-lease.ts'
import { isTokenOf, publicKeyOf, runnerKeyOf, runnerSecretRef, secretWithKey } from './runner-secret.ts'
import { noteRunner } from './runner-version.ts'
import { type SignedRequest, signedRequestOf } from './signed-request.ts'
import { type Place, text, type UnitVerbPorts, unitVerbs } from './unit-verbs.ts'

export interface RunnerApiOptions extends Pick<ApiServerOptions, 'fairness' | 'audit'>, UnitVerbPorts {
  readonly api: ApiHandler
  readonly hub: Hub
  readonly leases: Leases
  readonly clock: Clock
  /** The content of an artifact; undefined if it is not stored. */
  readonly read: (artifact: Artifact) => Promise<Uint8Array | undefined>
  readonly dataOfSet: DataOfSet
  readonly version: string
  readonly pace: RunnerPace
  /** Where the runner of a cluster waits for changes, outside of the hub; absent where it waits in a request, or polls every few seconds. */
  readonly wakeUp?: (access: TargetReference) => Promise<WakeUp>
  /** Wakes requests that are held; absent where that would be billed. */
  readonly heldWakeUps?: HeldWakeUps
  /** Puts the check whether a runner is there off, while one is; absent where checks cost nothing. */
  readonly putWatchOff?: (cluster: ObjectRef) => Promise<void>
  /** Called with errors that are not the runner's fault. */
  readonly onError: (error: unknown) => void
}

/** The API with that of runners in front of it. */
export const withRunners = (options: RunnerApiOptions): ApiHandler => {
  const handle = handling(options)
  const ofRunners = recordedHandler(options, async (request, { pathname }, _, ended, trail) =>
    respond({ request }, JSON.stringify(await handle(request, pathname, ended, trail))),
  )
  return async (request, ...rest) => {
    const isOfRunner = new URL(request.url).pathname.startsWith(runnerPath)
    return isOfRunner ? ofRunners(request, ...rest) : options.api(request, ...rest)
  }
}

/** A request to enrol comes from anybody: a token, a key and a name. */
const maxEnrolBytes = 4096

const handling = (options: RunnerApiOptions) => {
  const { hub, leases, clock, settings, read, recordEvent, version, fairness, pace, heldWakeUps } = options
  const { leaseMs } = pace

  const enrol = async (
    place: Place,
    signed: SignedRequest,
    { token, publicKey, cluster }: EnrolRequest,
  ): Promise<object> => {
    const key = publicKeyOf(text(publicKey, 'publicKey'))
    const secret = await hub.get<Secret>(runnerSecretRef(place))
    const isMeant = cluster === signed.cluster && secret && isTokenOf(secret, text(token, 'token'), clock.now())
    if (!key || !isMeant || !signed.isSignedBy(key)) throw unauthorized()
    // Of two runners with one token, the version decides.
    await hub.update(secretWithKey(secret, publicKey), { fieldManager: 'keelson' })
    return {}
  }

  /** Fails unless the enrolled runner of the Cluster has signed the request. */
  const requireRunner = async (place: Place, signed: SignedRequest): Promise<void> => {
    const secret = await hub.get<Secret>(runnerSecretRef(place))
    const key = secret && runnerKeyOf(secret)
    if (!key || !signed.isSignedBy(key)) throw unauthorized()
  }

  const readable = async (place: Place): Promise<Readable> => {
    return (await readableBy(place, hub, settings)) ?? refuseCluster(place)
  }

  const sync = async (
    place: Place,
    { lease: token, known, resumes, version: ofRunner, takes, waits, holds, renews }: SyncRequest,
  ): Promise<SyncResponse> => {
    if (resumes !== undefined) await leases.release(leaseOf(place, resumes))
    const lease =
      token === undefined ? await leases.acquire(runnerLeaseRef(place), leaseMs) : await renewed(place, token)
    if (!lease) throw anotherRunner(place)
    if (ofRunner !== undefined) await note(place, { version: ofRunner, takes })
    // Before the copy is read: a change of the Cluster after that makes it due again, and wakes the runner.
    await options.putWatchOff?.(clusterRef(place))
    const held = holds === true && heldWakeUps ? { seen: heldWakeUps.count(), heldMs } : undefined
    const leaseAndWakeUp = async (access: TargetReference) => {
      const wakeUp = waits === true ? ((await options.wakeUp?.(access)) ?? held) : undefined
      return { lease: lease.token, leaseMs, hub: version, ...(wakeUp && { wakeUp }) }
    }
    if (renews === true && typeof known === 'string') {
      const { access } = (await runnerAccess(place, hub)) ?? refuseCluster(place)
      return { ...(await leaseAndWakeUp(access)), digest: known }
    }
    const found = await readable(place)
    const own = await withFinalizers(found.own, hub)
    const data = await readDataOfSets(own, options.dataOfSet)
    const { digest, ...content } = copyOf({ ...found, own }, settings, data)
    const orders = await options.orders.open(found.access)
    const response = { ...(await leaseAndWakeUp(found.access)), digest, ...(orders.length > 0 && { orders }) }
    if (digest === known) return response
    return { ...response, copy: { ...content, changedBy: await changersOf(content.own, hub) } }
  }

  const note = async (place: Place, runner: Pick<SyncRequest, 'version' | 'takes'>): Promise<void> => {
    const cluster = await hub.get<KubernetesObject>(clusterRef(place))
    if (cluster) await noteRunner(cluster, runner, { hub, recordEvent, version })
  }

  const leaseOf = (place: Place, token: number): Lease => {
    if (!Number.isSafeInteger(token)) throw badRequest('lease must be a number')
    return { ref: runnerLeaseRef(place), token, expiresAt: 0, abandoned: 0 }
  }

  const renewed = (place: Place, token: number): Promise<Lease> =>
    leases.renew(leaseOf(place, token), leaseMs).catch(error => {
      throw error instanceof LeaseLost ? anotherRunner(place) : error
    })

  const wait = async (
    place: Place,
    { lease, seen, forMs }: WaitRequest,
    ended: Promise<unknown>,
  ): Promise<WaitResponse> => {
    await renewed(place, lease)
    const { access } = (await runnerAccess(place, hub)) ?? refuseCluster(place)
    if (!Number.isSafeInteger(seen) || !Number.isSafeInteger(forMs)) throw badRequest('seen and forMs must be numbers')
    if (!heldWakeUps) throw noSuchResource()
    const gone = new AbortController()
    const abort = () => gone.abort()
    ended.then(abort, abort)
    return { news: await heldWakeUps.wait(describeTarget(access), seen, Math.min(forMs, heldMs), gone.signal) }
  }

  const release = async (place: Place, { lease }: Leased): Promise<object> => {
    await leases.release(leaseOf(place, lease))
    return {}
  }

  /** What a runner that holds the lease may read. */
  const leased = async (place: Place, { lease }: Leased): Promise<Readable> => {
    await renewed(place, lease)
    return readable(place)
  }

  const artifact = async (place: Place, request: ArtifactRequest): Promise<ArtifactResponse> => {
    const allowed = await leased(place, request)
    const name = text(request.name, 'name')
    const found = artifactNamed(allowed, name) ?? headNamed(allowed, await options.orders.open(allowed.access), name)
    const content = found && (await read(found))
    if (!content) throw new ApiError(404, 'NotFound', 'no unit of this runner uses this artifact, or it is not stored')
    return { content: Buffer.from(content).toString('base64') }
  }

  /** The request bears the old key's signature, and signature is that of the new one. */
  const renew = async (place: Place, { lease, publicKey, signature }: RenewRequest): Promise<object> => {
    await renewed(place, lease)
    const key = publicKeyOf(text(publicKey, 'publicKey'))
    const signed = signedRequestOf(text(signature, 'signature'), { path: `${runnerPath}renew`, now: clock.now() })
    const isMeant = signed?.cluster === `${place.namespace}/${place.name}` && signed.covers(Buffer.from(publicKey))
    if (!key || !isMeant || !signed.isSignedBy(key))
      throw badRequest('publicKey must be an Ed25519 key, and signature its own')
    const secret = await hub.get<Secret>(runnerSecretRef(place))
    if (!secret) throw unauthorized()
    await hub.update(secretWithKey(secret, publicKey), { fieldManager: 'keelson' })
    return {}
  }

  const verbs = { renew, sync, wait, release, artifact, ...unitVerbs(options, leased) }

  return async (request: Request, path: string, ended: Promise<unknown>, trail?: AuditTrail): Promise<unknown> => {
    if (request.method !== 'POST') throw methodNotAllowed()
    const signed = signedRequestOf(request.headers.get('authorization'), { path, now: clock.now() })
    const place = signed && placeOf(signed.cluster)
    if (!place) throw unauthorized()
    const verb = path.slice(runnerPath.length)
    const isNew = verb === 'enrol'
    if (!isNew) await requireRunner(place, signed)
    const user = isNew ? anonymous : userOf(place)
    const apiVerb = apiVerbOf(verb)
    await trail?.identified(user, { ...resourceOf(place), verb: apiVerb })
    await fairness?.admit(request, apiVerb, user, ended)
    const body = await bodyBytes(request, isNew ? maxEnrolBytes : undefined)
    if (!signed.covers(body)) throw unauthorized()
    const content = parsedObject(body.toString('utf8'), 'json', why => `the body can't be read: ${why}`)
    if (isNew) return enrol(place, signed, content as unknown as EnrolRequest)
    if (!Object.hasOwn(verbs, verb)) throw noSuchResource()
    return verbs[verb as keyof typeof verbs](place, content as never, ended)
  }
}

const refuseCluster = ({ namespace, name }: Place): never => {
  const message = `Cluster ${namespace}/${name} does not exist, or its kubeConfig names no ConfigMap with provider runner`
  throw new ApiError(404, 'NotFound', message)
}

const clusterRef = (place: Place): ObjectRef => ({ group: clusterKind.group, kind: clusterKind.kind, ...place })

const placeOf = (cluster: string): Place | undefined => {
  const [, namespace, name] = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(cluster) ?? []
  return namespace && name ? { namespace, name } : undefined
}

/** 410, so that it differs from a conflict about one object. */
const anotherRunner = ({ namespace, name }: Place): ApiError =>
  new ApiError(410, 'Gone', `another runner works for Cluster ${namespace}/${name}, or the hub has been started since`)
