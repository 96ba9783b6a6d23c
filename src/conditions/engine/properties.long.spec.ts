import { ruleProperties } from '../../../test/support/rule-properties.js';

ruleProperties(1_000);
