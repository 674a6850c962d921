import { KustomizeError } from '../../kustomize-error.ts'
import type { Resource } from '../../resource.ts'
import type { PluginEnvironment } from '../plugin.ts'
import type { PluginOutcome, PluginRequest, PluginRunner } from './plugin-runner.ts'

const NOT_SUPPORTED = 127

/**
 * Runs a plugin in its kustomization's directory and returns its output, or undefined if it doesn't support the subcommand. Other errors
 * include the plugin's stderr.
 */
export const runProgram = async (
  runner: PluginRunner,
  name: string,
  request: Omit<PluginRequest, 'files'>,
  { loader, file }: PluginEnvironment,
): Promise<string | undefined> => {
  const outcome = await runner.run({ ...request, files: loader.filesBelow() })
  if (outcome.problem !== undefined) throw failure(name, outcome.problem, outcome, file)
  if (outcome.exitCode === NOT_SUPPORTED) return undefined
  if (outcome.exitCode !== 0) throw failure(name, `exit status ${outcome.exitCode}`, outcome, file)
  return outcome.stdout
}

const failure = (name: string, problem: string, { stderr }: PluginOutcome, file: string): KustomizeError =>
  new KustomizeError(`${stderr.trim() && `${stderr.trim()}: `}failure in plugin ${name}; ${problem}`, { file })

/** Resources as a stream of YAML documents. */
export const yamlStream = (resources: readonly Resource[]): string =>
  resources.map(resource => resource.toYaml()).join('---\n')
