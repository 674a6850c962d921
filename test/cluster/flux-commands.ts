import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { flux, needsFlux } from '../bed/flux.ts'
import type { FluxWorld } from './flux-world.ts'

/** A command of the flux CLI, how it ends, and what it says. */
export type FluxCommand = readonly [args: string, exitCode: number, says: RegExp]

/** A suite that runs commands in this order, on one hub. */
export const describeFluxCommands = (
  title: string,
  start: () => Promise<FluxWorld>,
  commands: readonly FluxCommand[],
): void => {
  suite(title, needsFlux, () => {
    let world: FluxWorld
    before(async () => {
      world = await start()
    })
    after(() => world[Symbol.asyncDispose]())

    for (const [args, exitCode, says] of commands)
      test(`flux ${args}${exitCode ? ' fails, and says why' : ''}`, async () => {
        const ended = await flux(world.hub.kubeconfig, args.split(' '))
        const said = `${ended.stdout}\n${ended.stderr}`
        assert.match(said, says)
        assert.equal(ended.exitCode, exitCode, said)
      })
  })
}
