import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeployedHub } from '../deployed-hub.ts'

/** The same sources make the same stack, whatever the hub has done since. */
export function deploysAgain({ stack }: DeployedHub): void {
  test('deploying again changes nothing', async () => {
    assert.match(await stack.deploy(), /no changes/)
  })
}
