import { Command } from 'commander'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import { type Approval, approval as approvalKind } from '../../foundations/kinds/approval.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { plannedCounts } from '../../foundations/kinds/plan.ts'
import { CommandFailed } from '../command-failed.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import type { Terminal } from '../terminal.ts'
import { readPlan } from './plans.ts'

interface Options extends HubOptions {
  readonly comment?: string
  readonly digest?: string
}

const examples = (verb: string): string => `
Examples:
  # What waits
  keelson plans -n apps

  # Decide, with a reason for the record
  keelson ${verb} kustomization-shop-0mjk1q2w3 -n apps --comment "as agreed in CHG-1234"

  # Only if the plan still is what you have read
  keelson ${verb} kustomization-shop-0mjk1q2w3 -n apps --digest sha256:4be2...

Exit codes: 0 when the decision is stored, 1 when you may not decide, or there is nothing to decide about.
`

/** `keelson approve`: approves a plan. Needs the verb `approve` on it. */
export const approveCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  decisionCommand('approve', 'Approved', env, terminal)

/** `keelson reject`: the opposite. */
export const rejectCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  decisionCommand('reject', 'Rejected', env, terminal)

const decisionCommand = (
  verb: 'approve' | 'reject',
  decision: NonNullable<Approval['spec']['decision']>,
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
): Command =>
  withHubOptions(
    new Command(verb)
      .summary(`${verb} a planned change`)
      .description(
        `Creates an Approval that ${verb}s a plan: exactly the change with its digest. You need the verb approve on plans.`,
      )
      .argument('<plan>', 'name of the plan'),
  )
    .option('--comment <text>', 'reason of the decision')
    .option('--digest <digest>', 'fail unless the plan has this digest')
    .addHelpText('after', examples(verb))
    .action((name: string, options: Options) =>
      withHub(options, env, async hub => {
        const { namespace, comment, digest } = options
        const { apiVersion, kind, metadata, spec, status } = await readPlan(hub, namespace, name)
        if (status?.phase === 'Applied' || status?.phase === 'Stale' || status?.phase === 'Expired')
          throw new CommandFailed(`plan ${name} is ${status.phase}: there is nothing to decide about`)
        if (digest !== undefined && digest !== spec.digest)
          throw new CommandFailed(`plan ${name} has the digest ${spec.digest}, not ${digest}: read it again`)
        const approval: Approval = {
          apiVersion: apiVersionOf(approvalKind as unknown as Kind),
          kind: approvalKind.kind,
          metadata: {
            ...{ name: '', generateName: `${metadata.name.slice(0, 200)}-`, namespace },
            // It goes with its plan.
            ownerReferences: [{ apiVersion, kind, name, uid: metadata.uid ?? '' }],
          },
          spec: {
            subject: { kind: 'Plan', name },
            digest: spec.digest,
            decision,
            ...(comment !== undefined && { comment }),
            ...(spec.expiresAt !== undefined && { expiresAt: spec.expiresAt }),
          },
        }
        await hub.cluster.create(approval, { fieldManager: 'keelson', signal: hub.signal })
        const { unit, counts, revision = '' } = spec
        const what = `${plannedCounts(counts) || 'no changes'} of ${unit.kind}/${unit.name} at ${revision}`
        terminal.success(`${decision === 'Approved' ? 'approved' : 'rejected'}: ${what}`)
      }),
    )
