import { describe, test } from 'node:test'
import { becomesItsObjects, collectsInStages, touchesWhatChangedOnly } from '../../bed/resource-set-stories.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'

/** Of a ResourceSet with three objects for each; 1000 take a minute or two of the emulator. */
const inputs = Number(process.env.KEELSON_RESOURCE_SET_INPUTS ?? 20)

/** What test/e2e/resource-set.test.ts tells of a hub on one machine. */
export function makesResourceSets({ admin }: DeployedHub): void {
  describe('makes ResourceSets', inOrder, () => {
    test('RS-126 a ResourceSet becomes its objects', () => becomesItsObjects(admin, patient))

    test('an input that changes, or goes, touches its own objects only', async t => {
      const { first, changed, removed } = await touchesWhatChangedOnly(admin, inputs, 600_000)
      t.diagnostic(
        `${3 * inputs} objects in ${first} s; one input changed in ${changed} s, one removed in ${removed} s`,
      )
    })

    test('RS-111 RS-113 what leaves a ResourceSet goes in stages', () => collectsInStages(admin, patient))
  })
}
