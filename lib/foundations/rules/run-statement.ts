/** What a hub signs about a Run: an in-toto statement, https://github.com/in-toto/attestation/tree/main/spec/v1. */
import type { Run, RunContent } from '../kinds/run.ts'
import { canonicalJson } from './canonical-json.ts'
import { sha256Digest } from './sha256.ts'

export const runPredicateType = 'https://keelson.dev/run/v1'

/** The namespace and name of a Run. */
export interface RunName {
  readonly namespace: string
  readonly name: string
}

/** Something that a statement is about. */
export interface Subject {
  readonly name: string
  /** By algorithm, in hexadecimal digits. */
  readonly digest: Readonly<Record<string, string>>
}

export interface RunStatement {
  readonly _type: 'https://in-toto.io/Statement/v1'
  readonly subject: readonly Subject[]
  readonly predicateType: typeof runPredicateType
  readonly predicate: RunPredicate
}

export interface RunPredicate
  extends Pick<RunContent, 'unit' | 'cluster' | 'revision' | 'plan' | 'result' | 'finishedAt'> {
  readonly run: RunName
  /** The Cluster whose runner has reported the Run, as `NAMESPACE/NAME`: the hub signs what it was sent. Absent if the hub did the work itself. */
  readonly reportedBy?: string
}

/**
 * The statement about a Run. Its subjects are the whole Run, the source's artifact and the manifests. It is not stored, but made again from the
 * stored Run: so what it says of a Run, and in which order, must never change.
 */
export const runStatement = (run: RunName, content: RunContent, reportedBy?: string): RunStatement => {
  const { unit, cluster, revision, plan, result, finishedAt, artifact, manifests } = content
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      subject(runSubject, sha256Digest(canonicalRun(content))),
      ...(artifact === undefined ? [] : [subject('artifact', artifact)]),
      ...(manifests === undefined ? [] : [subject('manifests', manifests)]),
    ],
    predicateType: runPredicateType,
    predicate: {
      run: { namespace: run.namespace, name: run.name },
      unit,
      ...(cluster && { cluster }),
      ...(revision !== undefined && { revision }),
      ...(plan && { plan }),
      result,
      ...(finishedAt !== undefined && { finishedAt }),
      ...(reportedBy !== undefined && { reportedBy }),
    },
  }
}

/** The subject that is the Run itself, as canonicalRun writes it. */
export const runSubject = 'run'

/** `digest` as `sha256:<hex>`. */
export const subject = (name: string, digest: string): Subject => {
  const [algorithm = '', hex = ''] = digest.split(':')
  return { name, digest: { [algorithm]: hex } }
}

/** The signed fields of a Run of the API: not its metadata, nor the count of later failures that are alike. */
export const contentOf = (run: Run): RunContent => {
  const {
    apiVersion: _,
    kind: __,
    metadata: ___,
    repeats: ____,
    lastRepeatedAt: _____,
    receipt: ______,
    ...content
  } = run
  return content
}

/** The JSON of a Run's content with sorted keys and no spaces: equal contents, equal bytes. */
export const canonicalRun = (content: RunContent): string => canonicalJson(content)
