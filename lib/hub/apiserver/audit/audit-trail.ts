import type { Clock } from '../../../platform/ports/clock.ts'
import type { Log } from '../../../platform/ports/log.ts'
import type { Random } from '../../../platform/ports/random.ts'
import type { Authorize, Decision, User } from '../authentication/caller.ts'
import { type ResourceRequest, resourceRequestOf } from '../request-info.ts'
import {
  type AuditEvent,
  auditUser,
  completedReference,
  microTime,
  type ResponseStatus,
  receivedEvent,
} from './audit-event.ts'
import type { AuditOrder, AuditPolicy, AuditStage } from './audit-policy.ts'
import { omitted, requestContent, responseContent, withoutManagedFields } from './audited-content.ts'
import { allowedLevel, allowedStatus } from './withheld.ts'

export interface AuditPorts {
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<Random, 'uuid'>
  readonly log: Log
  readonly policy: AuditPolicy
  /** Resolves once the event is recorded. */
  readonly write: (event: AuditEvent) => Promise<void>
}

/** The record of one request while it is handled. */
export interface AuditTrail {
  /** Of the request, in all logs. */
  readonly id: string
  /** Sets the user and resource of the request, by which the policy decides how much to record. Its body must not have been read. */
  identified(user: User, resource: ResourceRequest | undefined): Promise<void>
  impersonated(user: User): void
  /** Records the first decision. */
  recording(authorize: Authorize): Authorize
  /** What the request did to an object, in annotations of its event. */
  acted(annotations: Readonly<Record<string, string>>): void
  /** Resolves once the response is recorded. `sent` settles when the client has received it. */
  responded(response: Response, sent: Promise<unknown>): Promise<void>
}

/** Starts the record of a request; `remote` is the address of its client. Without an `id` it is the one that the client sent, or a new one. */
export type Audit = (request: Request, url: URL, remote: string | undefined, id?: string) => AuditTrail

const maxIdLength = 64

/** Records requests according to a policy. As in a kube-apiserver, a record that can't be written is logged and does not fail the request. */
export const auditing = (ports: AuditPorts): Audit => {
  const { clock, random, log, policy } = ports
  const record = async (event: AuditEvent, { omitStages }: AuditOrder, stage: AuditStage): Promise<void> => {
    if (event.level === 'None' || omitStages.includes(stage)) return
    const at = stage === 'RequestReceived' ? event.requestReceivedTimestamp : microTime(clock.now())
    try {
      await ports.write({ ...event, stage, stageTimestamp: at })
    } catch (error) {
      log.error('failed to record a request in the audit log', {
        auditID: event.auditID,
        verb: event.verb,
        uri: event.requestURI,
        error,
      })
    }
  }

  return (request, url, remote, id) => {
    const given = id ?? request.headers.get('audit-id') ?? ''
    const auditID = given && given.length <= maxIdLength ? given : random.uuid()
    const at = clock.now()
    let event: AuditEvent | undefined
    let order: AuditOrder = { level: 'None', omitStages: [], omitManagedFields: false }
    let subject: ResourceRequest | undefined
    let copy: Request | undefined

    const begin = (user: User | undefined, resource: ResourceRequest | undefined): AuditEvent => {
      const verb = resource?.verb ?? request.method.toLowerCase()
      const attributes = { user, verb, path: url.pathname, ...(resource && { resource }) }
      subject = resource
      order = policy.orderFor(attributes)
      return receivedEvent(request, attributes, { level: allowedLevel(order.level, resource), auditID, remote, at })
    }

    return {
      id: auditID,
      identified: async (user, resource) => {
        event = begin(user, resource)
        await record(event, order, 'RequestReceived')
        if (holdsContent(event) && request.body) copy = request.clone()
      },
      impersonated: user => {
        if (event) event = { ...event, impersonatedUser: auditUser(user) }
      },
      recording: authorize => {
        let isRecorded = false
        return async attributes => {
          const decision = await authorize(attributes)
          if (!isRecorded && event) event = { ...event, annotations: annotationsOf(decision) }
          isRecorded = true
          return decision
        }
      },
      acted: annotations => {
        if (event) event = { ...event, annotations: { ...event.annotations, ...annotations } }
      },
      responded: async (response, sent) => {
        response.headers.set('audit-id', auditID)
        // Rejected before authentication: a kube-apiserver never records ResponseComplete for such a response.
        const isRefused = !event && response.status === 401
        if (isRefused) event = begin(undefined, resourceRequestOf(request.method, url))
        if (!event || event.level === 'None') return
        if (subject?.verb === 'watch' && response.status === 200) {
          const started = { ...event, responseStatus: { metadata: {}, code: 200 } }
          const end = () => void record(started, order, 'ResponseComplete')
          await record(started, order, 'ResponseStarted')
          sent.then(end, end)
          return
        }
        const content = wantsContent(event, response) ? await responseContent(response.clone()) : undefined
        const stage = isRefused ? 'ResponseStarted' : 'ResponseComplete'
        await record(await completed(event, response, content), order, stage)
      },
    }

    async function completed(begun: AuditEvent, response: Response, content: unknown): Promise<AuditEvent> {
      const requested = copy && request.bodyUsed ? await requestContent(copy) : undefined
      const truncated = [requested, begun.level === 'RequestResponse' ? content : undefined].includes(omitted)
      const shown = (value: unknown) => (order.omitManagedFields ? withoutManagedFields(value) : value)
      const reference = completedReference(begun.objectRef, requested)
      const objectRef =
        begun.verb === 'create' && response.ok ? completedReference(reference, named(content)) : reference
      return {
        ...begun,
        ...(objectRef && { objectRef }),
        responseStatus: allowedStatus(statusOf(response, content), subject),
        ...(isShown(requested) && { requestObject: shown(requested) }),
        ...(begun.level === 'RequestResponse' && isShown(content) && { responseObject: shown(content) }),
        ...(truncated && { annotations: { ...begun.annotations, 'audit.k8s.io/truncated': 'true' } }),
      }
    }
  }
}

const isShown = (content: unknown): boolean => content !== undefined && content !== omitted

const holdsContent = ({ level }: AuditEvent): boolean => level === 'Request' || level === 'RequestResponse'

/** A Status contains more than the code; the name of a created object may not be in its path. */
const wantsContent = ({ level, verb }: AuditEvent, { status }: Response): boolean =>
  level === 'RequestResponse' || status >= 400 || ['create', 'delete', 'deletecollection'].includes(verb)

/** Only the name of a created object: its other fields were not in the request. */
const named = (content: unknown): unknown => {
  const { name, uid } =
    (content as { readonly metadata?: { name?: unknown; uid?: unknown } } | undefined)?.metadata ?? {}
  return { metadata: { name, uid } }
}

const statusOf = ({ status: code }: Response, content: unknown): ResponseStatus => {
  const { kind, status, message, reason, details } = (content ?? {}) as Readonly<Record<string, unknown>>
  if (kind !== 'Status') return { metadata: {}, code }
  return {
    metadata: {},
    ...(typeof status === 'string' && { status }),
    ...(typeof message === 'string' && { message }),
    ...(typeof reason === 'string' && { reason }),
    ...(details !== undefined && { details }),
    code,
  }
}

const annotationsOf = ({ allowed, reason = '' }: Decision): Readonly<Record<string, string>> => ({
  'authorization.k8s.io/decision': allowed ? 'allow' : 'forbid',
  'authorization.k8s.io/reason': reason,
})
