import { Command } from 'commander'
import type { Decision } from '../../foundations/fleet/decision.ts'
import { gatesOfStage, type RolloutRun } from '../../foundations/kinds/rollout-run.ts'
import { digestsToApprove } from '../../foundations/rules/stage-approval.ts'
import { CommandFailed } from '../command-failed.ts'
import { decide } from '../decide.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { readLatestRun } from '../read-rollouts.ts'
import type { Terminal } from '../terminal.ts'

interface Options extends HubOptions {
  readonly stage?: string
  readonly digest?: string
  readonly comment?: string
}

const examples = (verb: string): string => `
Examples:
  # The stage under way
  keelson rollout ${verb} web -n apps --comment 'as agreed in CHG-1234'

  # A stage that is still to come
  keelson rollout ${verb} web -n apps --stage europe

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
    .option(
      '--digest <digest>',
      'fail unless the plans of the stage have this digest, as keelson rollout status shows it',
    )
    .option('--comment <text>', 'reason of the decision')
    .addHelpText('after', examples(verb))
    .action(async (name: string, options: Options) => {
      const { namespace, comment } = options
      const { run, stage } = await withHub(options, env, async hub => {
        const { run } = await readLatestRun(hub, name, namespace)
        const stage = stageOf(run, options.stage)
        const { name: runName } = run.metadata
        const subject = { kind: 'RolloutRun', name: runName, stage } as const
        for (const digest of digestsOf(run, stage, options.digest))
          await decide(hub, run, { subject, digest, decision, comment }, `${runName}-${stage}`)
        return { run, stage }
      })
      const revisions = run.spec.sources.map(({ artifact }) => artifact.revision).join(', ')
      terminal.success(`${decision.toLowerCase()}: stage ${stage} of ${run.metadata.name}, ${revisions}`)
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

/** Fails unless an approval of the stage opens a gate. */
const stageOf = (run: RolloutRun, wanted: string | undefined): string => {
  const { metadata, spec, status } = run
  const stage = spec.stages.find(({ name }, at) =>
    wanted === undefined ? at === (status?.stage ?? 0) : name === wanted,
  )
  if (!stage) throw new CommandFailed(`${metadata.name} has no stage '${wanted ?? ''}'`)
  const { before = [], after = [] } = gatesOfStage(run, spec.stages.indexOf(stage))
  if (![...before, ...after].some(({ approval }) => approval))
    throw new CommandFailed(
      `stage ${stage.name} of ${metadata.name} has no gate that needs an approval: name one with --stage`,
    )
  return stage.name
}
