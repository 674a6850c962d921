import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { orderPatch } from '../../foundations/fleet/actions.ts'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { type RolloutRun, rolloutRun } from '../../foundations/kinds/rollout-run.ts'
import { orderRefusal } from '../../foundations/rollout/orders.ts'
import type { OrderType } from '../../foundations/rollout/world.ts'
import { CommandFailed } from '../command-failed.ts'
import { describeRollout, type RolloutWithRuns, rolloutTable } from '../describe-rollout.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'
import { readLatestRun, readRollout, readRollouts } from '../read-rollouts.ts'
import type { Terminal } from '../terminal.ts'
import { decisionCommand } from './rollout-decision.ts'

interface StatusOptions extends HubOptions {
  readonly allNamespaces: boolean
  readonly wait: boolean
  readonly output: OutputForm
}

interface OrderOptions extends HubOptions {
  readonly reason?: string
}

const statusExamples = `
Examples:
  # All Rollouts: which run, which stage, how many clusters
  keelson rollout status -A

  # One: its stages, what it waits for, and what you may do
  keelson rollout status web -n apps

  # In a pipeline, after a push: until the run has ended, or has failed
  keelson rollout status web -n apps --wait --timeout 2h

Exit codes for one Rollout: 0 when its run is under way, paused as requested, or has succeeded, 1 when it has failed, goes back, was
aborted, or could not be read.
`

const orders: readonly { readonly type: OrderType; readonly summary: string; readonly description: string }[] = [
  {
    type: 'Pause',
    summary: 'start no further cluster',
    description: 'Pauses the run of a Rollout: no further cluster starts, and no newer revision takes over.',
  },
  {
    type: 'Resume',
    summary: 'continue, and accept the failures so far',
    description: 'Resumes a run that is paused. Clusters that have failed so far are accepted.',
  },
  {
    type: 'Retry',
    summary: 'try failed units again',
    description: 'Tries the failed units of a run again; a run that has ended begins again with its first stage.',
  },
  {
    type: 'Abort',
    summary: 'end the run; units stay where they are',
    description: 'Ends the run. All units stay at the revisions that they have, until the next one.',
  },
  {
    type: 'Rollback',
    summary: 'bring all units back, at once',
    description: 'Brings all units back to the revision of the last run that succeeded, at once.',
  },
]

/** `keelson rollout`: where the runs of Rollouts are, orders to them, and decisions about their stages. */
export const rolloutCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream, terminal: Terminal): Command => {
  const command = new Command('rollout')
    .summary('show and steer rollouts over clusters')
    .description('Shows where the runs of Rollouts are, and gives them orders.')
    .addCommand(statusCommand(env, output))
  for (const order of orders) command.addCommand(orderCommand(order, env, terminal))
  return command
    .addCommand(decisionCommand('approve', 'Approved', env, terminal))
    .addCommand(decisionCommand('reject', 'Rejected', env, terminal))
}

const statusCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  withHubOptions(
    new Command('status')
      .summary('show stages, gates and failures')
      .description('Shows the latest run of each Rollout, or all of one: stages, what it waits for, earlier runs.')
      .argument('[name]', 'name of a Rollout; all if not given'),
  )
    .option('-A, --all-namespaces', 'of all namespaces', false)
    .option('-w, --wait', 'wait until the run has ended, or has failed', false)
    .addOption(outputOption())
    .addHelpText('after', statusExamples)
    .action(async (name: string | undefined, options: StatusOptions) => {
      if (name === undefined && options.wait) throw new CommandFailed('--wait needs the name of a Rollout')
      const show = (hub: HubAccess) => (name === undefined ? showAll(hub, options) : showOne(hub, name, options))
      output.write(await withHub(options, env, show))
    })

const showAll = async (hub: HubAccess, options: StatusOptions): Promise<string> => {
  const { allNamespaces, namespace, output } = options
  const found = await readRollouts(hub, allNamespaces ? {} : { namespace })
  return asDocument(found, output) ?? (rolloutTable(found, allNamespaces, Date.now()) || 'No rollouts found.\n')
}

const showOne = async (hub: HubAccess, name: string, options: StatusOptions): Promise<string> => {
  const found = await readUntil(hub, name, options)
  if (hasFailed(found.runs.at(-1))) process.exitCode = 1
  return asDocument(found, options.output) ?? describeRollout(found, Date.now())
}

const orderCommand = (
  { type, summary, description }: (typeof orders)[number],
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
): Command => {
  const verb = type.toLowerCase()
  return withHubOptions(
    new Command(verb)
      .summary(summary)
      .description(`${description} Requires the verb 'patch' on 'rolloutruns'.`)
      .argument('<name>', 'name of the Rollout'),
  )
    .option('--reason <text>', 'why, for the record')
    .addHelpText(
      'after',
      `\nExamples:\n  keelson rollout ${verb} web -n apps --reason 'errors in Paris'\n\nExit codes: 0 when it was carried out, 1 when it has no effect or was not carried out in time.\n`,
    )
    .action(async (name: string, options: OrderOptions) => {
      const run = await withHub(options, env, hub => give(hub, type, name, options))
      terminal.success(`${verb}: RolloutRun/${run.metadata.namespace}/${run.metadata.name}: ${run.status?.message}`)
    })
}

const pollMs = 500

const give = async (
  hub: HubAccess,
  type: OrderType,
  name: string,
  { namespace, reason }: OrderOptions,
): Promise<RolloutRun> => {
  const { rollout, run } = await readLatestRun(hub, name, namespace)
  if (rollout.spec.suspend)
    throw new CommandFailed(`Rollout/${namespace}/${name} is suspended, and carries out no order: resume it first`)
  const refusal = orderRefusal(type, run.status?.phase ?? 'Running', run.spec.previous !== undefined)
  if (refusal) throw new CommandFailed(`${run.metadata.name}: ${type} has no effect: ${refusal}`)
  const id = new Date().toISOString()
  const ref = { group: rolloutRun.group, kind: rolloutRun.kind, namespace, name: run.metadata.name }
  const { cluster, signal } = hub
  const patch = orderPatch({ type, id, ...(reason !== undefined && { reason }) })
  await cluster.patch(apiVersionOf(runKind), ref, { type: 'merge', patch }, { fieldManager: 'keelson', signal })
  for (;;) {
    const now = (await cluster.get(apiVersionOf(runKind), ref, { signal })) as RolloutRun | undefined
    if (!now) throw new CommandFailed(`${run.metadata.name} was deleted`)
    if (now.spec.order?.id !== id)
      throw new CommandFailed(`another order has replaced this one: ${now.spec.order?.type}`)
    if (now.status?.order === id) return now
    await sleep(pollMs, undefined, { signal })
  }
}

const runKind = rolloutRun as unknown as Kind

const hasFailed = (run: RolloutRun | undefined): boolean => {
  const { phase, pausedFor } = run?.status ?? {}
  return pausedFor === 'Failed' || phase === 'RollingBack' || phase === 'RolledBack' || phase === 'Aborted'
}

const readUntil = async (
  hub: HubAccess,
  name: string,
  { namespace, wait }: StatusOptions,
): Promise<RolloutWithRuns> => {
  for (;;) {
    const found = await readRollout(hub, name, namespace)
    const { phase = 'Running' } = found.runs.at(-1)?.status ?? {}
    if (!wait || (phase !== 'Running' && phase !== 'RollingBack')) return found
    await sleep(pollMs, undefined, { signal: hub.signal })
  }
}
