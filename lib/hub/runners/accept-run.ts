import { type Run, type RunContent, run as runKind } from '../../foundations/kinds/run.ts'
import { prune } from '../../foundations/kinds/schema/prune.ts'
import { validateSchema } from '../../foundations/kinds/schema/validate-schema.ts'
import { describeTarget, type TargetReference } from '../../foundations/kinds/target-reference.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Keys } from '../../platform/ports/keys.ts'
import type { RunPlace, RunStore } from '../../platform/ports/runs.ts'
import { runCodec } from '../runs/run-codec.ts'
import { factsOf, keysOf } from '../runs/run-facts.ts'
import { runName } from '../runs/run-names.ts'
import type { SignRun } from '../runs/sign-run.ts'
import { badRequest } from '../store/api-errors.ts'
import type { RunRequest } from './protocol.ts'

export interface RunPorts {
  readonly runs: Pick<RunStore, 'add' | 'get' | 'page'>
  readonly keys: Keys
  readonly clock: Pick<Clock, 'now'>
  readonly signRun: SignRun
}

/** A Run may list 500 changes with 32,000 characters of fields: this is far more. */
const maxCharacters = 512 * 1024

/** How far the runner's clock may be ahead, in milliseconds. */
const maxAheadMs = 5 * 60_000

/**
 * The unit that a Run of an object that no longer exists may be about: it was one of this cluster, as the last Run of its UID says. So a runner can
 * record a deletion once the object is gone.
 */
export const unitOfRecords = async (
  access: TargetReference,
  { ref: { kind, namespace, name }, uid }: Pick<RunRequest, 'ref' | 'uid'>,
  { runs, keys }: Pick<RunPorts, 'runs' | 'keys'>,
): Promise<RunContent['unit'] | undefined> => {
  if (namespace !== access.namespace) return undefined
  const [last] = await runs.page({ namespace, unit: `${kind}/${name}`, limit: 1 })
  const content = last && (await runCodec(keys).decode(last, last.body))
  if (content?.unit.uid !== uid || !content.cluster) return undefined
  return describeTarget(content.cluster as TargetReference) === describeTarget(access) ? content.unit : undefined
}

/**
 * Stores a Run as its runner has it, signed as its report; what it is about is what the hub knows. Repeating the request changes nothing. Fails with BadRequest if it is no
 * Run.
 */
export const acceptRun = async (
  { unit, cluster, reportedBy }: Required<Pick<RunContent, 'unit' | 'cluster'>> & { readonly reportedBy: string },
  { startedAt, alike, repeats, repeatedAt, content: sent }: RunRequest,
  { runs, keys, clock, signRun }: RunPorts,
  retentionMs: number,
): Promise<void> => {
  const now = clock.now()
  if (!isCount(startedAt) || startedAt > now + maxAheadMs) throw badRequest('startedAt is no time, or in the future')
  if (!isCount(repeats) || (repeatedAt !== undefined && !isCount(repeatedAt))) throw badRequest('repeats is no number')
  const content = checked(sent, { unit, cluster, startedAt: new Date(startedAt).toISOString() })
  const place: RunPlace = { namespace: cluster.namespace, startedAt, name: runName(unit, startedAt) }
  const signed = await signRun(place, content, reportedBy)
  const record = {
    ...place,
    unit: `${unit.kind}/${unit.name}`,
    repeats,
    ...(repeatedAt !== undefined && { repeatedAt }),
    ...(typeof alike === 'string' && { alike: alike.slice(0, maxAlike) }),
    expires: now + retentionMs,
    facts: factsOf(content),
    body: await runCodec(keys).encode(place, { ...content, ...(signed && { signed }) }),
  }
  await runs.add(record, keysOf(content))
}

const maxAlike = 64

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const { schema } = runKind.versions[0]!

/** The content without unknown fields, with what is known of it. */
const checked = (sent: unknown, known: Pick<RunContent, 'unit' | 'cluster' | 'startedAt'>): RunContent => {
  if (typeof sent !== 'object' || sent === null) throw badRequest('content must be an object')
  if (JSON.stringify(sent).length > maxCharacters) throw badRequest('content is larger than a Run may be')
  const {
    repeats: _,
    lastRepeatedAt: __,
    receipt: ___,
    ...content
  } = prune(schema, { ...sent, ...known } as Partial<Run>).value
  const [error] = validateSchema(schema, content)
  if (error) throw badRequest(`content is no Run: ${error.field}: ${error.message}`)
  return content as RunContent
}
