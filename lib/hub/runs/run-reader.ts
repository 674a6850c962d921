import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Run, StoredRun } from '../../foundations/kinds/run.ts'
import { namesIn, run as runKind } from '../../foundations/kinds/run.ts'
import type { Keys } from '../../platform/ports/keys.ts'
import type { RunQuery, RunRecord, RunStore } from '../../platform/ports/runs.ts'
import { type RecordReader, type RecordScope, recordReader } from '../records/record-reader.ts'
import { recordUid } from '../records/record-uid.ts'
import type { Hub } from '../store/hub.ts'
import { namespaceRef } from '../store/namespaces.ts'
import { rfc3339 } from '../store/time.ts'
import { runCodec } from './run-codec.ts'
import { factsWith, keyWith } from './run-facts.ts'
import { placeOfName } from './run-names.ts'
import { receiptOf } from './sign-run.ts'

export interface RunReaderPorts {
  readonly runs: Pick<RunStore, 'get' | 'page'>
  readonly keys: Keys
  readonly hub: Pick<Hub, 'get' | 'list'>
}

/**
 * Runs as objects of the API. A namespace shows runs since its creation: those of an earlier namespace of the same name are hidden.
 */
export const runReader = ({ runs, keys, hub }: RunReaderPorts): RecordReader => {
  const codec = runCodec(keys)
  const objectOf = async (record: RunRecord): Promise<Run> => asObject(record, await codec.decode(record, record.body))

  const sinceOf = async (namespace: string): Promise<number | undefined> => {
    const found = await hub.get<KubernetesObject>(namespaceRef(namespace))
    return found && createdAt(found)
  }

  const namespacesOf = async (namespace: string | undefined): Promise<readonly RecordScope[]> => {
    if (namespace !== undefined) {
      const since = await sinceOf(namespace)
      return since === undefined ? [] : [{ namespace, since }]
    }
    const { items } = await hub.list<KubernetesObject>({ group: '', kind: 'Namespace' })
    return items.map(item => ({ namespace: item.metadata.name, since: createdAt(item) }))
  }

  return recordReader<RecordScope & Pick<RunQuery, 'unit' | 'facts' | 'key'>, RunRecord>({
    kind: runKind as unknown as Kind,
    computed: new Map([['by', object => namesIn(object as Run)]]),
    get: async ({ namespace, name }) => {
      const place = placeOfName(namespace, name)
      const since = place && (await sinceOf(namespace))
      if (since === undefined || place!.startedAt < since) return undefined
      const record = await runs.get(place!)
      return record && objectOf(record)
    },
    scopesOf: async (namespace, required) => {
      const [kind, name] = [required('unit.kind'), required('unit.name')]
      const ofUnit = kind !== undefined && name !== undefined && { unit: `${kind}/${name}` }
      const key = keyWith(required)
      const found = { ...ofUnit, facts: factsWith(required), ...(key !== undefined && { key }) }
      return (await namespacesOf(namespace)).map(scope => ({ ...scope, ...found }))
    },
    page: ({ since: _, ...scope }, query) => runs.page({ ...query, ...scope }),
    objectOf: (_, record) => objectOf(record),
  })
}

const createdAt = ({ metadata }: KubernetesObject): number => Date.parse(metadata.creationTimestamp ?? '') || 0

const asObject = (record: RunRecord, { signed, ...content }: StoredRun): Run => {
  const { namespace, name, startedAt, repeats, repeatedAt } = record
  const { unit, result, cause, finishedAt } = content
  return {
    apiVersion: `${runKind.group}/v1alpha1`,
    kind: runKind.kind,
    metadata: {
      name,
      namespace,
      uid: recordUid(`${unit.uid} ${name}`),
      resourceVersion: String(repeatedAt ?? (finishedAt ? Date.parse(finishedAt) : startedAt)),
      creationTimestamp: rfc3339(startedAt),
      labels: {
        [`${runKind.group}/unit-kind`]: unit.kind,
        ...(unit.name.length <= 63 && { [`${runKind.group}/unit`]: unit.name }),
        [`${runKind.group}/cause`]: cause.type,
        [`${runKind.group}/result`]: result,
      },
    },
    ...content,
    ...(signed && { receipt: receiptOf(record, content, signed) }),
    ...(repeats > 0 && { repeats }),
    ...(repeatedAt !== undefined && { lastRepeatedAt: new Date(repeatedAt).toISOString() }),
  }
}
