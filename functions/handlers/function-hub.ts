import { openAwsHub } from '../../lib/compose/aws/aws-hub.ts'
import { readAwsEnvironment } from '../../lib/compose/aws/environment.ts'
import { observability } from '../../lib/compose/aws/observability.ts'

const environment = readAwsEnvironment(process.env)

/** The hub of this process: created once, when the function starts. */
export const hub = openAwsHub(environment, observability(environment.hubName))
