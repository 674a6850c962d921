import type { Command } from 'commander'
import { programWith } from './program-with.ts'
import { terminalOn } from './terminal.ts'

export { runProgram } from './program-with.ts'

/** By name. Each loads only its own code: kustomize must not load that of a hub. */
const commands: Readonly<Record<string, (args: readonly string[]) => Promise<Command>>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand(terminalOn(process.stdout, process.env)),
  kustomize: async () => (await import('./commands/kustomize.ts')).kustomizeCommand(process.stdout, process.stderr),
  helm: async args =>
    (await import('./commands/helm.ts')).helmCommand(args, {
      env: process.env,
      output: process.stdout,
      terminal: terminalOn(process.stderr, process.env),
    }),
  build: async () => (await import('./commands/build.ts')).buildCommand(process.env, process.stdout),
  diff: async () =>
    (await import('./commands/diff.ts')).diffCommand(process.env, { results: process.stdout, notes: process.stderr }),
  plan: async () =>
    (await import('./commands/plan.ts')).planCommand(process.env, { results: process.stdout, notes: process.stderr }),
  plans: async () => (await import('./commands/plans.ts')).plansCommand(process.env, process.stdout),
  approve: async () =>
    (await import('./commands/approve.ts')).approveCommand(process.env, terminalOn(process.stdout, process.env)),
  reject: async () =>
    (await import('./commands/approve.ts')).rejectCommand(process.env, terminalOn(process.stdout, process.env)),
  undo: async () =>
    (await import('./commands/undo.ts')).undoCommand(process.env, terminalOn(process.stdout, process.env)),
  tree: async () => (await import('./commands/tree.ts')).treeCommand(process.env, process.stdout),
  trace: async () => (await import('./commands/trace.ts')).traceCommand(process.env, process.stdout),
  push: async () =>
    (await import('./commands/push-artifact.ts')).pushCommand(
      process.env,
      { input: process.stdin, output: process.stdout },
      terminalOn(process.stderr, process.env),
    ),
  pull: async () =>
    (await import('./commands/pull-artifact.ts')).pullCommand(process.env, terminalOn(process.stderr, process.env)),
  list: async () => (await import('./commands/list-artifacts.ts')).listCommand(process.env, process.stdout),
  tag: async () =>
    (await import('./commands/tag-artifact.ts')).tagCommand(process.env, terminalOn(process.stderr, process.env)),
  kubeconfig: async () =>
    (await import('./commands/kubeconfig.ts')).kubeconfigCommand(process.env, terminalOn(process.stdout, process.env)),
  clusters: async () => (await import('./commands/clusters.ts')).clustersCommand(process.env, process.stdout),
  fleet: async () => (await import('./commands/fleet.ts')).fleetCommand(process.env, process.stdout, process.stderr),
  console: async () =>
    (await import('./commands/console.ts')).consoleCommand(
      process.env,
      process.stdout,
      terminalOn(process.stderr, process.env),
    ),
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand(process.env),
  versions: async () =>
    (await import('./commands/versions.ts')).versionsCommand(process.env, process.stdout, process.stderr),
  cost: async () => (await import('./commands/cost.ts')).costCommand(process.env, process.stdout, process.stderr),
  drift: async () => (await import('./commands/drift.ts')).driftCommand(process.env, process.stdout, process.stderr),
  orphans: async () =>
    (await import('./commands/orphans.ts')).orphansCommand(process.env, process.stdout, process.stderr),
  deliveries: async () => (await import('./commands/deliveries.ts')).deliveriesCommand(process.env, process.stdout),
  redeliver: async () =>
    (await import('./commands/redeliver.ts')).redeliverCommand(process.env, terminalOn(process.stdout, process.env)),
  runs: async () => (await import('./commands/runs.ts')).runsCommand(process.env, process.stdout),
  verify: async () => (await import('./commands/verify.ts')).verifyCommand(process.env, process.stdout),
  rollout: async () =>
    (await import('./commands/rollout.ts')).rolloutCommand(
      process.env,
      process.stdout,
      terminalOn(process.stdout, process.env),
    ),
  suspend: async () =>
    (await import('./commands/suspend.ts')).suspendCommand(process.env, terminalOn(process.stdout, process.env)),
  resume: async () =>
    (await import('./commands/suspend.ts')).resumeCommand(process.env, terminalOn(process.stdout, process.env)),
  redrive: async () =>
    (await import('./commands/redrive.ts')).redriveCommand(process.env, terminalOn(process.stdout, process.env)),
  login: async () =>
    (await import('./commands/login.ts')).loginCommand(
      process.env,
      process.stdout,
      terminalOn(process.stderr, process.env),
    ),
  join: async () =>
    (await import('./commands/join.ts')).joinCommand(
      process.env,
      process.stdout,
      terminalOn(process.stderr, process.env),
    ),
  sign: async () => (await import('./commands/sign.ts')).signCommand(terminalOn(process.stdout, process.env)),
  leave: async () =>
    (await import('./commands/leave.ts')).leaveCommand(process.env, terminalOn(process.stdout, process.env)),
  runner: async () =>
    (await import('./commands/runner.ts')).runnerCommand(
      process.env,
      process.stdout,
      terminalOn(process.stdout, process.env),
    ),
  token: async () => (await import('./commands/token.ts')).tokenCommand(process.env, process.stdout),
  user: async () => (await import('./commands/user.ts')).userCommand(process.stdout),
  events: async () => (await import('./commands/events.ts')).eventsCommand(process.env, process.stdout),
  history: async () => (await import('./commands/history.ts')).historyCommand(process.env, process.stdout),
  why: async () => (await import('./commands/why.ts')).whyCommand(process.env, process.stdout),
  update: async () => (await import('./commands/update-images.ts')).updateCommand(process.env, process.stdout),
  'adopt-cluster': async () =>
    (await import('./commands/adopt-cluster.ts')).adoptClusterCommand(
      process.env,
      terminalOn(process.stdout, process.env),
    ),
  'allow-prune': async () =>
    (await import('./commands/allow-prune.ts')).allowPruneCommand(process.env, terminalOn(process.stdout, process.env)),
  logs: async () =>
    (await import('./commands/logs.ts')).logsCommand(process.env, { input: process.stdin, output: process.stdout }),
  completion: async () =>
    (await import('./commands/completion.ts')).completionCommand(() => loadProgram([]), process.stdout),
  envsubst: async () =>
    (await import('./commands/envsubst.ts')).envsubstCommand(process.env, {
      input: process.stdin,
      output: process.stdout,
    }),
}

/** The program with the command that the arguments name; with all commands if they name none, and without any for the version. */
export async function loadProgram([name = '', ...args]: readonly string[]): Promise<Command> {
  const loaders = Object.hasOwn(commands, name)
    ? [commands[name]!]
    : name === '--version'
      ? []
      : Object.values(commands)
  const loaded: Command[] = []
  for (const load of loaders) loaded.push(await load(args))
  return programWith(loaded)
}
