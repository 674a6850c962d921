import { statusCondition } from '../../foundations/fleet/object-state.ts'
import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import { describeKind } from '../../foundations/kinds/object.ts'
import { parseInventoryId } from '../../foundations/rules/inventory.ts'
import type { ObjectView } from '../api/read-object.ts'
import { counted } from '../model/phrases.ts'
import { shown } from '../model/shown-state.ts'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty } from '../parts/notices.tsx'
import { State } from '../parts/state.tsx'

const maxRows = 500

/** The applied objects, those that the last pass complains of first. */
export const Inventory = ({ view: { object } }: { readonly view: ObjectView }) => {
  const { query, here, go } = useNavigation()
  const { inventory } = (object.status ?? {}) as {
    readonly inventory?: { readonly entries?: readonly InventoryEntry[] }
  }
  const complaint =
    statusCondition(object, 'Ready')?.status === 'False' ? (statusCondition(object, 'Ready')?.message ?? '') : ''
  const rows = (inventory?.entries ?? [])
    .map(({ id, v }) => ({ ...parseInventoryId(id), id, version: v }))
    .map(row => ({ ...row, isNamed: isNamedIn(complaint, row) }))
    .filter(({ id }) => !query.q || id.toLowerCase().includes(query.q.toLowerCase()))
    .toSorted((a, b) => Number(b.isNamed) - Number(a.isNamed))
  return (
    <section class="panel" aria-label="Objects">
      <div class="bar">
        <h2>{counted(rows.length, 'object')}</h2>
        <label class="field right">
          <span class="hidden">Filter objects</span>
          <input
            type="search"
            placeholder="Kind, namespace, name"
            value={query.q ?? ''}
            onInput={event => go(here({ q: event.currentTarget.value }), 'replace')}
          />
        </label>
      </div>
      {rows.length === 0 ? (
        <Empty title="No object matches" />
      ) : (
        <table class="list">
          <thead>
            <tr>
              <th>Kind</th>
              <th>Name</th>
              <th class="wide">Namespace</th>
              <th class="fit">Last pass</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, maxRows).map(({ id, group, kind, namespace, name, isNamed }) => (
              <tr key={id}>
                <td class="cut">{describeKind({ group, kind })}</td>
                <td class="cut" title={name}>
                  {name}
                </td>
                <td class="cut wide">{namespace}</td>
                <td class="fit">{isNamed && <State of={shown('failing', 'Named in the failure')} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rows.length > maxRows && <p class="pad quiet">{`and ${rows.length - maxRows} more: filter to see them`}</p>}
    </section>
  )
}

const isNamedIn = (message: string, { kind, namespace, name }: { kind: string; namespace: string; name: string }) =>
  message.includes(`${kind}/${namespace ? `${namespace}/` : ''}${name}`)
