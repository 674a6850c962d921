import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sopsProblem } from '../../../../../lib/reconcile/kustomization/decryption/sops-problem.ts'
import { SopsError } from '../../../../../lib/sops/sops-error.ts'

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
