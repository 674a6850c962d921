import type { User } from '../authentication/caller.ts'
import type { ResourceRequest } from '../request-info.ts'
import type { AuditedRequest, AuditLevel, AuditStage } from './audit-policy.ts'

/** An audit event, as kube-apiserver writes it (audit.k8s.io/v1). */
export interface AuditEvent {
  readonly kind: 'Event'
  readonly apiVersion: 'audit.k8s.io/v1'
  readonly level: AuditLevel
  readonly auditID: string
  readonly stage: AuditStage
  readonly requestURI: string
  readonly verb: string
  readonly user: AuditUser
  readonly impersonatedUser?: AuditUser
  readonly sourceIPs: readonly string[]
  readonly userAgent?: string
  readonly objectRef?: ObjectReference
  readonly responseStatus?: ResponseStatus
  readonly requestObject?: unknown
  readonly responseObject?: unknown
  readonly requestReceivedTimestamp: string
  readonly stageTimestamp: string
  readonly annotations?: Readonly<Record<string, string>>
}

export interface AuditUser {
  readonly username?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: User['extra']
}

interface ObjectReference {
  readonly resource?: string
  readonly namespace?: string
  readonly name?: string
  readonly uid?: string
  readonly apiGroup?: string
  readonly apiVersion?: string
  readonly resourceVersion?: string
  readonly subresource?: string
}

export interface ResponseStatus {
  readonly metadata: Record<string, never>
  readonly status?: string
  readonly message?: string
  readonly reason?: string
  readonly details?: unknown
  readonly code: number
}

const maxUserAgent = 1024

/** What is known of a request when it arrives. `remote` is the address of its client. */
export const receivedEvent = (
  request: Request,
  { user, verb, resource }: AuditedRequest & { readonly resource?: ResourceRequest | undefined },
  { level, auditID, remote, at }: { level: AuditLevel; auditID: string; remote: string | undefined; at: number },
): AuditEvent => {
  const { pathname, search } = new URL(request.url)
  const agent = request.headers.get('user-agent') ?? ''
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level,
    auditID,
    stage: 'RequestReceived',
    requestURI: `${pathname}${search}`,
    verb,
    user: user ? auditUser(user) : {},
    sourceIPs: sourceIps(request, remote),
    ...(agent && { userAgent: agent.length > maxUserAgent ? `${agent.slice(0, maxUserAgent)}...TRUNCATED` : agent }),
    ...(resource && { objectRef: referenceTo(resource) }),
    requestReceivedTimestamp: microTime(at),
    stageTimestamp: microTime(at),
  }
}

/** In metav1.MicroTime's format. */
export const microTime = (ms: number): string => new Date(ms).toISOString().replace(/(\.\d{3})Z$/, '$1000Z')

/** A user as audit events have them: with fields of Kubernetes, without those that are empty. */
export const auditUser = ({ name: username, uid, groups, extra }: User): AuditUser => ({
  username,
  ...(uid && { uid }),
  groups,
  ...(extra && { extra }),
})

/** In the order of Kubernetes: first the addresses from proxies' headers, which anyone can forge, last the connected one. */
const sourceIps = ({ headers }: Request, remote: string | undefined): readonly string[] => {
  const forwarded = (headers.get('x-forwarded-for') ?? '').split(',').map(part => part.trim())
  const all = [...forwarded, headers.get('x-real-ip')?.trim() ?? '', remote ?? '']
  return [...new Set(all.filter(isAddress))]
}

const isAddress = (text: string): boolean => text.length < 64 && /^[0-9a-f.:]+$/i.test(text)

const referenceTo = (request: ResourceRequest): ObjectReference => {
  const { resource, namespace, name, group: apiGroup, version: apiVersion, subresource } = request
  return present({ resource, namespace, name, apiGroup, apiVersion, subresource })
}

/** Adds the name and namespace of the object, if the path has none. */
export const completedReference = (
  reference: ObjectReference | undefined,
  object: unknown,
): ObjectReference | undefined => {
  const { metadata } = (object ?? {}) as { readonly metadata?: Readonly<Record<string, unknown>> }
  if (!reference || typeof metadata !== 'object' || metadata === null) return reference
  const { namespace, name, uid, resourceVersion } = metadata
  const said = Object.entries({ namespace, name, uid, resourceVersion }).filter(
    ([, value]) => typeof value === 'string',
  )
  return { ...present(Object.fromEntries(said)), ...reference }
}

const present = (fields: Readonly<Record<string, unknown>>): ObjectReference =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value))
