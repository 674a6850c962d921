import type { Run, RunChange } from '../../foundations/kinds/run.ts'
import { counted, span } from '../model/phrases.ts'

/** How long the parts of a pass took, as wide as they took. */
export const Phases = ({ run: { phases = [], result } }: { readonly run: Run }) => {
  if (phases.length === 0) return null
  const state = result === 'Failed' || result === 'Stalled' ? 'failing' : 'ready'
  return (
    <div class="phases">
      {phases.map(({ name, durationMs }, at) => (
        <div
          key={name}
          class={at === phases.length - 1 ? state : 'ready'}
          style={{ flexGrow: Math.max(1, durationMs) }}
        >
          <i />
          <small>
            {name}
            <br />
            {durationMs < 1000 ? `${durationMs} ms` : span(durationMs)}
          </small>
        </div>
      ))}
    </div>
  )
}

const signs: Readonly<Record<RunChange['action'], readonly [sign: string, state: string]>> = {
  created: ['+', 'ready'],
  configured: ['~', 'waiting'],
  recreated: ['±', 'waiting'],
  deleted: ['−', 'failing'],
  drifted: ['!', 'waiting'],
}

/** Each changed object with its fields, before and after. Secret values come as `***`. */
export const Changes = ({ run, max }: { readonly run: Run; readonly max?: number }) => {
  const { changes = [], moreChanges = 0, counts } = run
  const listed = changes.slice(0, max)
  const hidden = changes.length - listed.length + moreChanges
  const unchanged = counts.unchanged ?? 0
  return (
    <ul class="facts-list changed">
      {listed.map(change => (
        <ChangedObject key={`${change.kind} ${change.namespace} ${change.name} ${change.action}`} change={change} />
      ))}
      {hidden > 0 && <li class="quiet">{`and ${hidden} more`}</li>}
      {(unchanged > 0 || changes.length === 0) && (
        <li class="quiet">
          {changes.length > 0
            ? `${counted(unchanged, 'other')} unchanged`
            : `Nothing changed${unchanged > 0 ? `; ${counted(unchanged, 'object')} as before` : ''}`}
        </li>
      )}
    </ul>
  )
}

const ChangedObject = ({ change }: { readonly change: RunChange }) => {
  const { kind, namespace, name, action, origin, fields = [], moreFields = 0 } = change
  const [sign, state] = signs[action]
  return (
    <li>
      <p class="line">
        <span class={`sign ${state}`} role="img" aria-label={action}>
          {sign}
        </span>
        <span class="break">
          {kind} {namespace ? `${namespace}/` : ''}
          <b>{name}</b>
        </span>
        {origin && <span class="right quiet mono cut">{origin}</span>}
      </p>
      {fields.length > 0 && (
        <table class="fields">
          <tbody>
            {fields.map(({ path, before, after, manager }) => (
              <tr key={path}>
                <th scope="row" class="mono break">
                  {path}
                </th>
                <td class="break">
                  {before !== undefined && <del>{before}</del>}
                  {before !== undefined && after !== undefined && ' '}
                  {after !== undefined && <ins>{after}</ins>}
                  {manager && <span class="quiet">{` was set by ${manager}`}</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {moreFields > 0 && <p class="quiet">{`and ${moreFields} more fields`}</p>}
    </li>
  )
}
