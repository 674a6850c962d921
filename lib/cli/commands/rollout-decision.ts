import { Command } from 'commander'
import type { Decision } from '../../foundations/fleet/decision.ts'
import { gatesOfStage, type RolloutRun, revisionsIn } from '../../foundations/kinds/rollout-run.ts'
import { digestsOfCluster, digestsToApprove } from '../../foundations/rules/stage-approval.ts'
import { CommandFailed } from '../command-failed.ts'
import { decide } from '../decide.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { readLatestRun } from '../read-rollouts.ts'
import type { Terminal } from '../terminal.ts'

interface Options extends HubOptions {
  readonly stage?: string
  readonly cluster?: string
  readonly digest?: string
  readonly comment?: string
}

const examples = (verb: string): string => `
Examples:
  # The stage under way
  keelson rollout ${verb} web -n apps --comment 'as agreed in CHG-1234'

  # A stage that is still to come
  keelson rollout ${verb} web -n apps --stage europe

  # A cluster that waits at a gate of its own
  keelson rollout ${verb} web -n apps --cluster apps/paris

Exit codes: 0 when the decision is stored, 1 when you may not decide, or no gate of the stage needs it.
`

/** `keelson rollout approve` and `reject`: an Approval of exactly the plans of a stage of the latest run, or of its artifacts for one stage. */
export const decisionCommand = (
  verb: 'approve' | 'reject',
  decision: Decision,
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
): Command =>
  withHubOptions(
    new Command(verb)
      .summary(`${verb} a stage of a run`)
      .description(
        `Creates an Approval that ${verb}s a stage of the latest run of a Rollout. You need the verb approve on rolloutruns.`,
      )
      .argument('<name>', 'name of the Rollout'),
  )
    .option('--stage <name>', 'the stage; that under way if not given')
    .option('--cluster <namespace/name>', 'a cluster of the stage, for a gate of each cluster')
    .option(
      '--digest <digest>',
      'fail unless the plans of the stage have this digest, as keelson rollout status shows it',
    )
    .option('--comment <text>', 'reason of the decision')
    .addHelpText('after', examples(verb))
    .action(async (name: string, options: Options) => {
      const { namespace, comment } = options
      const { cluster } = options
      const { run, stage } = await withHub(options, env, async hub => {
        const { run } = await readLatestRun(hub, name, namespace)
        const stage = stageOf(run, options.stage, cluster !== undefined)
        const { name: runName } = run.metadata
        const subject = { kind: 'RolloutRun', name: runName, stage, ...(cluster && { cluster }) } as const
        const digests = cluster ? digestsOfCluster(run, stage) : digestsOf(run, stage, options.digest)
        const prefix = `${runName}-${stage}${cluster ? `-${cluster.split('/').at(-1)}` : ''}`
        for (const digest of digests) await decide(hub, run, { subject, digest, decision, comment }, prefix)
        return { run, stage }
      })
      const revisions = revisionsIn(run).join(', ')
      const what = `${cluster ? `${cluster} in ` : ''}stage ${stage} of ${run.metadata.name}`
      terminal.success(`${decision.toLowerCase()}: ${what}, ${revisions}`)
    })

/** What is decided about: the plans of the stage, the artifacts, or both. Fails if the plans are not made, or not those that the user has seen. */
const digestsOf = (run: RolloutRun, stage: string, seen: string | undefined): readonly string[] => {
  const digests = digestsToApprove(run, stage)
  if (!digests)
    throw new CommandFailed(`the plans of stage ${stage} of ${run.metadata.name} are made when the stage is next`)
  if (digests.length === 0) throw new CommandFailed(`the gates before stage ${stage} of ${run.metadata.name} are open`)
  if (seen !== undefined && !digests.includes(seen))
    throw new CommandFailed(`stage ${stage} of ${run.metadata.name} has other plans by now: run keelson rollout status`)
  return seen === undefined ? digests : [seen]
}

/** Fails unless an approval of the stage, or of a cluster of it, opens a gate. */
const stageOf = (run: RolloutRun, wanted: string | undefined, ofCluster: boolean): string => {
  const { metadata, spec, status } = run
  const stage = spec.stages.find(({ name }, at) =>
    wanted === undefined ? at === (status?.stage ?? 0) : name === wanted,
  )
  if (!stage) throw new CommandFailed(`${metadata.name} has no stage '${wanted ?? ''}'`)
  const gates = gatesOfStage(run, spec.stages.indexOf(stage))
  const { before = [], after = [] } = ofCluster ? (gates.eachCluster ?? {}) : gates
  if (![...before, ...after].some(({ approval }) => approval))
    throw new CommandFailed(
      `stage ${stage.name} of ${metadata.name} has no gate ${ofCluster ? 'of each cluster ' : ''}that needs an approval: name one with --stage`,
    )
  return stage.name
}
