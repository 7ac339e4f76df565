// The examples that are unit tests themselves.
import '../../examples/checkpointed-import/import-rows.test.ts';
import '../../examples/month-in-a-test/invoices.test.ts';
