import type { AuditEntry } from '../../foundations/fleet/audit-entry.ts'
import { unitPaths } from '../../hub-client/fleet-kinds.ts'
import { type AuditTerms, auditPath, readAudit } from '../../hub-client/read-audit.ts'
import { useLive } from '../api/use-live.ts'
import { actionText, auditVerbs, objectOfEntry, stateOfEntry, userOfEntry } from '../model/audit-text.ts'
import { clockTime, fullTime } from '../model/phrases.ts'
import { momentHref } from '../model/route.ts'
import { CopyCommand } from '../parts/copy.tsx'
import { ChoiceTerm, TextTerm, TimeTerm } from '../parts/filters.tsx'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty, Loaded } from '../parts/notices.tsx'
import { Further } from '../parts/pager.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'
import { useNow } from '../parts/time.tsx'

const pageSize = 100
/** Changes of units come at once; what else is written is read so often. */
const everyMs = 10_000

/** Who did what, when, and from where. */
export const AuditPage = () => {
  const { api, namespace } = useConsole()
  const { query } = useNavigation()
  const { user, verb, object, refused, since, until } = query
  const terms: AuditTerms = { namespace, user, verb, object, refused, since, until }
  const entries = useLive(api, {
    key: `audit ${JSON.stringify(terms)} ${query.continue ?? ''}`,
    paths: unitPaths(namespace),
    read: (hub, signal) => readAudit(hub, terms, { limit: pageSize, continue: query.continue }, signal),
    ...{ keepsOld: true, everyMs },
  })
  return (
    <>
      <div class="head">
        <div>
          <h1>Who did what</h1>
          <p class="quiet">Requests that changed objects which you may list, or were refused; the newest first.</p>
        </div>
        <div class="actions">
          <CopyCommand command={`kubectl get --raw '${auditPath(terms)}'`} />
        </div>
      </div>
      <div class="filters">
        <TimeTerm term="since" label="From" />
        <TimeTerm term="until" label="To" />
        <TextTerm term="user" label="Who" isNamed />
        <TextTerm term="object" label="Object" placeholder="apps/web" isNamed />
        <ChoiceTerm term="verb" label="Verb" all="Any" options={auditVerbs.map(one => [one, one])} isNamed />
        <ChoiceTerm
          term="refused"
          label="Result"
          all="Any"
          isNamed
          options={[
            ['false', 'Done'],
            ['true', 'Refused'],
          ]}
        />
      </div>
      <section class="panel" aria-label="Requests">
        <Loaded of={entries}>
          {({ items, continue: next }) => (
            <>
              {items.length === 0 ? <NoEntries isEnd={!next} /> : <AuditTable entries={items} />}
              <Further next={next} text="Earlier requests" />
            </>
          )}
        </Loaded>
      </section>
    </>
  )
}

const NoEntries = ({ isEnd }: { readonly isEnd: boolean }) => (
  <Empty title={isEnd ? 'No request matches' : 'None among the latest requests'}>
    <p>Each request that changes an object is kept, whether it comes from here, kubectl, flux or an agent:</p>
    <pre>{'flux suspend kustomization my-app\nkubectl annotate kustomization my-app note=why'}</pre>
  </Empty>
)

const AuditTable = ({ entries }: { readonly entries: readonly AuditEntry[] }) => {
  const now = useNow(60_000)
  return (
    <table class="list" data-rows>
      <thead>
        <tr>
          <th class="fit">Time</th>
          <th class="fit">Result</th>
          <th>Object</th>
          <th>What</th>
          <th class="place">Who</th>
          <th class="wide place">From</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(entry => (
          <Row key={`${entry.at} ${entry.id}`} entry={entry} now={now} />
        ))}
      </tbody>
    </table>
  )
}

const Row = ({ entry, now }: { readonly entry: AuditEntry; readonly now: number }) => {
  const { at, from = '', by = '' } = entry
  const what = actionText(entry)
  const who = userOfEntry(entry)
  return (
    <tr>
      <td class="fit quiet time">
        <a href={momentHref(at)}>
          <time dateTime={at} title={`${fullTime(at)}: what happened then`}>
            {clockTime(Date.parse(at), now)}
          </time>
        </a>
      </td>
      <td class="fit">
        <State of={stateOfEntry(entry)} />
      </td>
      <td class="cut main">
        <ObjectOf entry={entry} />
      </td>
      <td class="cut line-of-its-own" title={what}>
        {what}
      </td>
      <td class="cut place who" title={who}>
        {who}
      </td>
      <td class="cut wide place quiet" title={`${by} ${from}`}>
        {by}
        <small>{from}</small>
      </td>
    </tr>
  )
}

/** The object that an entry is about, and what it is. */
export const ObjectOf = ({ entry }: { readonly entry: AuditEntry }) => {
  const { name, what, href } = objectOfEntry(entry)
  return (
    <>
      {href ? (
        <a href={href} title={name}>
          {name}
        </a>
      ) : (
        <span title={name}>{name}</span>
      )}
      <small class="quiet">{what}</small>
    </>
  )
}
