import type { PluginRunner } from './plugin-runner.ts'

/** Runs every program twice; different output is an error, since builds must be repeatable. */
export const strictRunner = (runner: PluginRunner): PluginRunner => ({
  locate: path => runner.locate(path),
  async run(request) {
    const first = await runner.run(request)
    if (first.problem !== undefined || first.exitCode !== 0) return first
    const second = await runner.run(request)
    if (second.exitCode === 0 && second.stdout === first.stdout) return second
    return { ...second, problem: second.problem ?? 'two runs with the same input gave different output' }
  },
})
