import { Command } from 'commander'
import type { RolloutRun } from '../../foundations/kinds/rollout-run.ts'
import { digestOfRun } from '../../foundations/rules/stage-approval.ts'
import { CommandFailed } from '../command-failed.ts'
import { type Decision, decide } from '../decide.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { readLatestRun } from '../read-rollouts.ts'
import type { Terminal } from '../terminal.ts'

interface Options extends HubOptions {
  readonly stage?: string
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

/** `keelson rollout approve` and `reject`: an Approval of exactly the artifacts of the latest run, for one stage. */
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
    .option('--comment <text>', 'reason of the decision')
    .addHelpText('after', examples(verb))
    .action(async (name: string, options: Options) => {
      const { namespace, comment } = options
      const { run, stage } = await withHub(options, env, async hub => {
        const { run } = await readLatestRun(hub, name, namespace)
        const stage = stageOf(run, options.stage)
        const { name: runName } = run.metadata
        const subject = { kind: 'RolloutRun', name: runName, stage } as const
        const spec = { subject, digest: digestOfRun(run), decision, comment }
        await decide(hub, run, spec, `${runName}-${stage}`)
        return { run, stage }
      })
      const revisions = run.spec.sources.map(({ artifact }) => artifact.revision).join(', ')
      terminal.success(`${decision.toLowerCase()}: stage ${stage} of ${run.metadata.name}, ${revisions}`)
    })

/** Fails unless an approval of the stage opens a gate. */
const stageOf = ({ metadata, spec, status }: RolloutRun, wanted: string | undefined): string => {
  const stage = spec.stages.find(({ name }, at) =>
    wanted === undefined ? at === (status?.stage ?? 0) : name === wanted,
  )
  if (!stage) throw new CommandFailed(`${metadata.name} has no stage '${wanted ?? ''}'`)
  const { before = [], after = [] } = spec.isHotfix ? (spec.hotfix ?? {}) : stage
  if (![...before, ...after].some(({ approval }) => approval))
    throw new CommandFailed(
      `stage ${stage.name} of ${metadata.name} has no gate that needs an approval: name one with --stage`,
    )
  return stage.name
}
