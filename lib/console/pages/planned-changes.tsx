import type { PlanChange, PlanCounts } from '../../foundations/kinds/plan.ts'
import { counted } from '../model/phrases.ts'
import {
  type ActionTitles,
  changeKey,
  changeName,
  groupedByAction,
  groupedByFile,
  plannedTitles,
} from '../model/plan-text.ts'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty } from '../parts/notices.tsx'

const signs: Readonly<Record<PlanChange['action'], readonly [sign: string, state: string]>> = {
  created: ['+', 'ready'],
  configured: ['~', 'waiting'],
  recreated: ['±', 'failing'],
  deleted: ['−', 'failing'],
  unknown: ['?', 'suspended'],
}

const Sign = ({ of: action, titles }: { readonly of: PlanChange['action']; readonly titles: ActionTitles }) => {
  const [sign, state] = signs[action]
  return (
    <span class={`sign ${state}`} role="img" aria-label={titles[action]}>
      {sign}
    </span>
  )
}

interface Props {
  readonly changes: readonly PlanChange[]
  readonly moreChanges: number
  readonly counts: PlanCounts
  /** What is said of the objects. */
  readonly titles?: ActionTitles
}

/** The changes of a plan, by what happens or by file, and one of them field by field. Which one is in the address. */
export const PlannedChanges = ({ changes, moreChanges, counts, titles = plannedTitles }: Props) => {
  const { query, here } = useNavigation()
  const isByFile = query.by === 'file'
  const groups = isByFile ? groupedByFile(changes) : groupedByAction(changes, titles)
  const first = groups[0]?.changes[0]
  const open = changes.find(change => changeKey(change) === query.object) ?? first
  if (!open)
    return (
      <section class="panel" aria-label="Changes">
        <Empty title="Nothing on the cluster would change" />
      </section>
    )
  const { unchanged = 0 } = counts
  return (
    <section class="panel review" aria-label="Changes">
      <nav aria-label="Objects">
        <p class="views">
          <a href={here({ by: undefined })} aria-current={isByFile ? undefined : 'true'}>
            By change
          </a>
          <a href={here({ by: 'file' })} aria-current={isByFile ? 'true' : undefined}>
            By file
          </a>
        </p>
        {groups.map(({ title, changes: found }) => (
          <div key={title}>
            <h2 class="break">{title}</h2>
            <ul>
              {found.map(change => (
                <li key={changeKey(change)}>
                  <a
                    href={here({ object: changeKey(change) })}
                    aria-current={change === open ? 'true' : undefined}
                    title={changeName(change)}
                  >
                    <Sign of={change.action} titles={titles} />
                    <span class="cut">{changeName(change)}</span>
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
        {moreChanges > 0 && <p class="pad quiet">{`and ${moreChanges} more`}</p>}
        {unchanged > 0 && <p class="pad quiet">{`${counted(unchanged, 'object')} as before`}</p>}
      </nav>
      <Change change={open} />
    </section>
  )
}

const Change = ({ change }: { readonly change: PlanChange }) => {
  const { action, origin, waitsFor, fields = [], moreFields = 0 } = change
  return (
    <div class="detail">
      <div class="bar">
        <h2 class="cut">{changeName(change)}</h2>
        {origin && <span class="right mono break">{origin}</span>}
      </div>
      {waitsFor && <p class="pad">{`Comes after ${waitsFor}.`}</p>}
      {fields.length === 0 && <p class="pad quiet">{sentences[action]}</p>}
      {fields.map(({ path, before, after, from, manager }) => (
        <div key={path} class="hunk">
          <p class="line">
            <span class="mono break">{path}</span>
            <span class="right mono break">{from}</span>
          </p>
          {before !== undefined && <Lines text={before} sign="−" />}
          {after !== undefined && <Lines text={after} sign="+" />}
          {manager && <p class="quiet break">{`The value there was set by ${manager}.`}</p>}
        </div>
      ))}
      {moreFields > 0 && <p class="pad quiet">{`and ${counted(moreFields, 'more field')}`}</p>}
    </div>
  )
}

const Lines = ({ text, sign }: { readonly text: string; readonly sign: '+' | '−' }) => (
  <pre class={sign === '+' ? 'added' : 'removed'}>
    {text.split('\n').map((line, at) => (
      <span key={at}>{`${sign} ${line}`}</span>
    ))}
  </pre>
)

const sentences: Readonly<Record<PlanChange['action'], string>> = {
  created: 'It does not exist on the cluster, and is created.',
  configured: 'Its fields are not listed.',
  recreated: 'It is deleted, and created again.',
  deleted: 'It is no longer in the build, and is deleted.',
  unknown: 'The cluster can judge it after what it waits for.',
}
