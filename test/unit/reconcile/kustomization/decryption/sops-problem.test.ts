import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SopsError } from '../../../../../lib/engines/sops/sops-error.ts'
import { sopsProblem } from '../../../../../lib/reconcile/kustomization/decryption/sops-problem.ts'

test('a file that cannot be read is called by its format, as Flux calls it', () => {
  const problem = (format: 'yaml' | 'json' | 'dotenv' | 'ini' | 'binary') =>
    sopsProblem(new SopsError('format', 'broken'), format)
  assert.deepEqual((['yaml', 'json', 'dotenv', 'ini', 'binary'] as const).map(problem), [
    'failed to load encrypted YAML data: broken',
    'failed to load encrypted JSON data: broken',
    'failed to load encrypted dotenv data: broken',
    'failed to load encrypted INI data: broken',
    'failed to load encrypted binary data: broken',
  ])
})
