import { describeCause, type Run } from '../../foundations/kinds/run.ts'
import { runKind } from '../../hub-client/fleet-kinds.ts'
import { resourcePath } from '../../hub-client/resource-path.ts'
import { useLive } from '../api/use-live.ts'
import { fullTime, revisionText } from '../model/phrases.ts'
import { momentHref, objectHref } from '../model/route.ts'
import { stateOfRun } from '../model/shown-state.ts'
import { CopyCommand } from '../parts/copy.tsx'
import { Loaded } from '../parts/notices.tsx'
import { Changes, Phases } from '../parts/run-parts.tsx'
import { useConsole } from '../parts/scope.tsx'
import { ReturnTo } from './return-to.tsx'

/** One Run in full. */
export const RunPage = ({ namespace, name }: { readonly namespace: string; readonly name: string }) => {
  const { api } = useConsole()
  const run = useLive(api, {
    key: `run ${namespace} ${name}`,
    paths: [],
    read: (hub, signal) => hub.get<Run>(resourcePath(runKind, { namespace, name }), signal),
  })
  return <Loaded of={run}>{found => <Whole run={found} />}</Loaded>
}

const Whole = ({ run }: { readonly run: Run }) => {
  const { metadata, unit, cluster, cause, revision, previousRevision, reason, message, errors = [] } = run
  const [signature] = run.receipt?.signatures ?? []
  const { state, word } = stateOfRun(run.result)
  const namespace = metadata.namespace ?? ''
  return (
    <>
      <div>
        <nav class="crumbs" aria-label="Path">
          <a href="/runs">Runs</a>
          <a href={objectHref({ kind: unit.kind, namespace, name: unit.name }, 'changes')}>{unit.name}</a>
        </nav>
        <div class="head">
          <div>
            <h1 class="break">
              {`Run of ${unit.name}`} <span class="tag">{unit.kind}</span>{' '}
              {/* A run that fails early names no cluster, as those of the hub itself. */}
              {cluster && <span class="tag">{cluster.name}</span>}
            </h1>
            <p class="quiet">
              {fullTime(run.startedAt)} · <a href={momentHref(run.startedAt)}>What else happened then</a>
            </p>
          </div>
          <div class="actions">
            <ReturnTo run={run} />
            <CopyCommand command={`kubectl get runs ${metadata.name} -n ${namespace} -o yaml`} />
          </div>
        </div>
      </div>
      <section class={`why ${state}`} aria-label="Result">
        <strong class={`state ${state}`}>{reason ? `${word}: ${reason}` : word}</strong>
        {message && <p class="break lines">{message}</p>}
      </section>
      <dl class="facts">
        <div>
          <dt>Cause</dt>
          <dd>{describeCause(cause)}</dd>
        </div>
        {revision && (
          <div title={revision}>
            <dt>Revision</dt>
            <dd class="mono">{revisionText(revision)}</dd>
          </div>
        )}
        {previousRevision && (
          <div title={previousRevision}>
            <dt>Before</dt>
            <dd class="mono">{revisionText(previousRevision)}</dd>
          </div>
        )}
        {signature && (
          <div title="keelson verify shows whether it is still as it was signed">
            <dt>Signed by</dt>
            <dd class="mono">{signature.keyid}</dd>
          </div>
        )}
      </dl>
      <section class="panel" aria-label="Changes">
        <div class="bar">
          <h2>Changes</h2>
        </div>
        <Phases run={run} />
        <Changes run={run} />
      </section>
      {errors.length > 0 && (
        <section class="panel" aria-label="Errors">
          <div class="bar">
            <h2>Errors</h2>
          </div>
          <ul class="facts-list">
            {errors.map((error, at) => (
              <li key={at}>
                <p class="line">
                  <b class="break">{error.object ?? error.file ?? 'The build'}</b>
                  {error.object && error.file && <span class="right quiet mono cut">{error.file}</span>}
                </p>
                <p class="break lines">{error.message}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
