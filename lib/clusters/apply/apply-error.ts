import { describeRef, type ObjectRef } from '../../foundations/kinds/object.ts'
import { describeOutage, type Outage } from '../../foundations/rules/outage.ts'
import { ClusterError } from '../client/client.ts'
import { deletionProtected } from '../client/protecting-client.ts'
import type { ChangeSet } from './change-set.ts'

/** Why one object could not be applied. */
export interface ApplyFailure {
  readonly ref: ObjectRef
  /** Names the object, the API server's reason and message, and the file it came from if known. */
  readonly message: string
  readonly origin?: string
  /** Refused at the write, not before: if there was no response, the object may exist anyway. */
  readonly written: boolean
  readonly cause: ClusterError
}

/** Some objects were refused; `changes` lists the changes made so far, and must be recorded. */
export class ApplyError extends Error {
  readonly failures: readonly ApplyFailure[]
  readonly changes: ChangeSet
  /** The cluster is unreachable: no object is at fault. */
  readonly outage?: Outage
  constructor(failures: readonly ApplyFailure[], changes: ChangeSet) {
    const outage = outageIn(failures)
    super(outage ? describeOutage(outage) : messageOf(failures), { cause: failures[0]?.cause })
    this.name = 'ApplyError'
    this.failures = failures
    this.changes = changes
    if (outage) this.outage = outage
  }
}

/** The reason of an error that says that an object may not be deleted to be recreated. */
export const protectedIn = ({ failures }: ApplyError): string | undefined =>
  failures.map(({ cause }) => cause.reason).find(reason => reason === deletionProtected)

/** The outage if the error is only that a cluster is unreachable. */
export const outageOf = (error: unknown): Outage | undefined =>
  error instanceof ApplyError || error instanceof ClusterError ? error.outage : undefined

const outageIn = (failures: readonly ApplyFailure[]): Outage | undefined =>
  failures.every(({ cause }) => cause.code === 'unreachable') ? failures[0]?.cause.outage : undefined

const messageOf = (failures: readonly ApplyFailure[]): string => {
  const reported = isClusterWide(failures) ? failures.slice(0, 1) : failures
  return reported.map(({ message }) => message).join('\n')
}

/** If the cluster rejects our credential, every object fails in the same way: one report is enough. */
const isClusterWide = (failures: readonly ApplyFailure[]): boolean =>
  failures.every(({ cause }) => cause.message === failures[0]?.cause.message) &&
  ['unreachable', 'unauthorized'].includes(failures[0]?.cause.code ?? '')

/** Flux's wording of a refused dry-run. */
export const dryRunFailure = (ref: ObjectRef, cause: ClusterError, origin?: string): ApplyFailure => {
  const conflict = cause.causes.find(({ reason }) => reason === 'FieldManagerConflict')
  const reason = conflict?.reason ?? cause.reason
  const verdict =
    cause.code === 'notFound'
      ? ref.namespace
        ? 'not found'
        : 'namespace not specified'
      : `dry-run failed${reason ? ` (${reason})` : ''}`
  return failure(ref, verdict, cause, false, origin)
}

/** A hint for Flux kinds that are not served: a hub serves some of them, and a cluster those of its controllers. */
const adviceFor = ({ group, kind }: ObjectRef, { code }: ClusterError): string =>
  code === 'noMatch' && group.endsWith('fluxcd.io')
    ? `; ${kind} belongs on a cluster where its Flux controller runs: give the Kustomization that builds it a spec.kubeConfig for that cluster, or install the controller`
    : ''

/** Flux's wording of a refused apply after a successful dry-run. */
export const writeFailure = (ref: ObjectRef, cause: ClusterError, origin?: string): ApplyFailure =>
  failure(ref, 'apply failed', cause, true, origin)

const failure = (
  ref: ObjectRef,
  verdict: string,
  cause: ClusterError,
  written: boolean,
  origin?: string,
): ApplyFailure => ({
  ref,
  message: `${describeRef(ref)} ${verdict}: ${cause.message}${adviceFor(ref, cause)}${origin ? ` (from ${origin})` : ''}`,
  written,
  cause,
  ...(origin !== undefined && { origin }),
})
