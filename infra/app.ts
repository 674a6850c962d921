/** The CDK app: reads the context, bundles the functions, and creates the stack. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, Validations } from 'aws-cdk-lib'
import { Code } from 'aws-cdk-lib/aws-lambda'
import { AwsSolutionsChecks } from 'cdk-nag'
import { docsFolder } from '../lib/compose/aws/environment.ts'
import { copyDocs } from '../lib/compose/docs-pages.ts'
import { bundleFunctions } from './bundle.ts'
import { bundleConsole } from './console-bundle.ts'
import { ContextError, readContext } from './context.ts'
import { auditPolicyOf, authenticationConfigOf } from './context-files.ts'
import { auditPolicyFile, authenticationFile, functionNames } from './functions.ts'
import { HubStack } from './hub-stack.ts'
import { noticesFor } from './notices.ts'

const bundles = mkdtempSync(join(tmpdir(), 'keelson-bundles-'))
try {
  const app = new App()
  const context = readContext(app.node.getAllContext())
  for (const notice of noticesFor(context)) console.error(notice)
  await bundleFunctions(functionNames, bundles)
  await bundleConsole(join(bundles, 'api', 'console'))
  await copyDocs(join(bundles, 'apiserver', docsFolder))
  if (context.authenticationConfig)
    writeFileSync(
      join(bundles, 'apiserver', authenticationFile),
      authenticationConfigOf(context.authenticationConfig, context.settings.tokenIssuer),
    )
  if (context.auditPolicy)
    writeFileSync(join(bundles, 'apiserver', auditPolicyFile), auditPolicyOf(context.auditPolicy))
  new HubStack(app, {
    context,
    codeOf: name => Code.fromAsset(join(bundles, name)),
    env: { account: process.env.CDK_DEFAULT_ACCOUNT, region: process.env.CDK_DEFAULT_REGION },
  })
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
  app.synth()
} catch (error) {
  if (!(error instanceof ContextError)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(bundles, { recursive: true, force: true })
}
