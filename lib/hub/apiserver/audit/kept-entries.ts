/** The audit log that the hub keeps itself, for its reports: requests that wrote, without any content. */
import type { AuditEntry } from '../../../foundations/fleet/audit-entry.ts'
import type { AuditPlace, AuditStore } from '../../../platform/ports/audit.ts'
import type { Clock } from '../../../platform/ports/clock.ts'
import type { Keys } from '../../../platform/ports/keys.ts'
import type { Log } from '../../../platform/ports/log.ts'
import type { Random } from '../../../platform/ports/random.ts'
import { type RecordCodec, recordCodec } from '../../records/record-codec.ts'
import { unchanged, whatWasDone } from './audit-annotations.ts'
import type { AuditEvent } from './audit-event.ts'
import type { AuditPolicy } from './audit-policy.ts'
import { type Audit, auditing } from './audit-trail.ts'
import { refusalQuota } from './refusal-quota.ts'
import { isQuoteless } from './withheld.ts'

export interface KeptAuditPorts {
  readonly auditRecords: Pick<AuditStore, 'add'>
  readonly keys: Keys
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<Random, 'uuid'>
  readonly log: Log
}

/** The content of kept entries is sealed, as it names people and their addresses. */
export const auditCodec = (keys: Keys): RecordCodec<AuditPlace, AuditEntry> =>
  recordCodec(keys, ({ startedAt, name }) => `audit/${startedAt}/${name}`, dictionary)

/** Keeps requests that changed the hub, and the first refused ones of each caller and minute, for so long. */
export const auditingInHub = (ports: KeptAuditPorts, retentionMs: number): Audit => {
  const { auditRecords, keys, clock, random } = ports
  const codec = auditCodec(keys)
  const mayKeepRefusal = refusalQuota(clock)
  const write = async (event: AuditEvent): Promise<void> => {
    const entry = entryOf(event)
    if (!entry) return
    if (entry.code >= 400 && !mayKeepRefusal(entry.as ?? entry.user)) return
    const place = { startedAt: Date.parse(entry.at), name: random.uuid().slice(0, 8) }
    const body = await codec.encode(place, entry)
    await auditRecords.add({ ...place, body, expires: place.startedAt + retentionMs })
  }
  return auditing({ ...ports, policy: keptRequests, write })
}

const writes: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

/** Groups of questions, and of what programs write all the time. */
const leftOutGroups: ReadonlySet<string> = new Set([
  ...['authorization.k8s.io', 'authentication.k8s.io', 'coordination.k8s.io', 'events.k8s.io'],
])

/** Writes to specs; what controllers and runners report is in statuses, Events and Runs. */
const keptRequests: AuditPolicy = {
  orderFor: ({ verb, resource }) => ({
    level: resource && writes.has(verb) && !isLeftOut(resource) ? 'Metadata' : 'None',
    omitStages: ['RequestReceived', 'ResponseStarted'],
    omitManagedFields: false,
  }),
}

const isLeftOut = ({ group, resource, subresource }: { group: string; resource: string; subresource: string }) =>
  leftOutGroups.has(group) ||
  (group === '' && resource === 'events') ||
  subresource === 'status' ||
  (resource === 'clusters' && subresource === 'runner')

const maxName = 253
const maxText = 300

/** Undefined for what left everything as it was. */
const entryOf = ({ requestURI, annotations = {}, ...event }: AuditEvent): AuditEntry | undefined => {
  const { objectRef: ref = {}, user, impersonatedUser, responseStatus, sourceIPs, userAgent = '' } = event
  if (annotations[unchanged] || /[?&]dryRun=/.test(requestURI)) return undefined
  const { reason, message, code = 0 } = responseStatus ?? {}
  const isRefused = code >= 400
  return {
    at: new Date(Date.parse(event.requestReceivedTimestamp)).toISOString(),
    id: event.auditID,
    user: user.username ?? '',
    verb: event.verb,
    version: ref.apiVersion ?? '',
    resource: cut(ref.resource, maxName),
    code,
    ...present({
      as: impersonatedUser?.username,
      group: ref.apiGroup,
      subresource: cut(ref.subresource, maxName),
      namespace: cut(ref.namespace, maxName),
      name: cut(ref.name, maxName),
      reason: isRefused ? reason : undefined,
      message: isRefused && isQuoteless(reason) ? cut(message, maxText) : undefined,
      action: cut(annotations[whatWasDone], maxText),
      from: sourceIPs.at(-1),
      by: cut(userAgent.split(' ')[0], maxText / 5),
    }),
  }
}

const cut = (text: string | undefined, max: number): string => (text ?? '').slice(0, max)

const present = (fields: Readonly<Record<string, string | undefined>>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value))

/** With these an entry takes a single write unit on AWS. Another dictionary would need other item names. */
const dictionary = Buffer.from(
  [
    '"reason":"Conflict","message":"Operation cannot be fulfilled on ","reason":"AlreadyExists","reason":"NotFound","reason":"Invalid","reason":"Forbidden","message":"User \\"system:serviceaccount:',
    '"resource":"secrets","resource":"configmaps","resource":"namespaces","group":"rbac.authorization.k8s.io","version":"v1","resource":"rolebindings","group":"fleet.keelson.dev","version":"v1alpha1","resource":"approvals",',
    '"group":"helm.toolkit.fluxcd.io","version":"v2","resource":"helmreleases","group":"source.toolkit.fluxcd.io","version":"v1","resource":"gitrepositories","code":200,',
    '"action":"requested a reconciliation","action":"resumed","action":"suspended: ","by":"kubectl/v1.34.0","by":"flux/v2.7.0","from":"',
    '{"at":"2026-11-29T12:00:00.000Z","id":"","user":"arn:aws:sts::123456789012:assumed-role/","user":"kubernetes-admin","verb":"create","verb":"delete","verb":"update","verb":"patch","version":"v1","resource":"kustomizations","code":201,"group":"kustomize.toolkit.fluxcd.io","namespace":"flux-system","name":"',
  ].join(''),
)
